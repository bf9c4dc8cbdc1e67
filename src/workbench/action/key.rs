//! A key as the table names it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with its modifiers; Shift is part of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

pub(super) const fn key(code: KeyCode) -> Key {
    Key {
        code,
        modifiers: KeyModifiers::NONE,
    }
}

pub(super) const fn ch(symbol: char) -> Key {
    key(KeyCode::Char(symbol))
}

pub(super) const fn ctrl(symbol: char) -> Key {
    with(KeyCode::Char(symbol), KeyModifiers::CONTROL)
}

pub(super) const fn alt(symbol: char) -> Key {
    with(KeyCode::Char(symbol), KeyModifiers::ALT)
}

pub(super) const fn with(code: KeyCode, modifiers: KeyModifiers) -> Key {
    Key { code, modifiers }
}

impl Key {
    /// The key that was pressed.
    pub fn of(event: &KeyEvent) -> Self {
        let kept = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
        let modifiers = event.modifiers & kept;
        match event.code {
            KeyCode::Char(symbol) if modifiers.contains(KeyModifiers::CONTROL) => Self {
                code: KeyCode::Char(symbol.to_ascii_lowercase()),
                modifiers: modifiers - KeyModifiers::SHIFT,
            },
            KeyCode::Char(_) | KeyCode::BackTab => Self {
                code: event.code,
                modifiers: modifiers - KeyModifiers::SHIFT,
            },
            code => Self { code, modifiers },
        }
    }

    /// The key press that means it.
    #[cfg(test)]
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }

    /// The character that this key types, if it types one.
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(symbol) if self.modifiers.is_empty() => Some(symbol),
            _ => None,
        }
    }

    /// Its name on the screen.
    pub fn name(self) -> String {
        let held = [
            (KeyModifiers::CONTROL, "Ctrl-"),
            (KeyModifiers::ALT, "Alt-"),
            (KeyModifiers::SHIFT, "Shift-"),
        ];
        let held = held.iter().filter(|(key, _)| self.modifiers.contains(*key));
        let mut name: String = held.map(|(_, word)| *word).collect();
        match self.code {
            // what terminals send for it is the same
            KeyCode::Char('7') if self.modifiers == KeyModifiers::CONTROL => name.push('_'),
            KeyCode::Char(' ') => name.push_str("space"),
            KeyCode::Char(symbol) if !self.modifiers.is_empty() => {
                name.push(symbol.to_ascii_uppercase());
            }
            KeyCode::Char(symbol) => name.push(symbol),
            KeyCode::F(number) => return format!("{name}F{number}"),
            KeyCode::Left => name.push('←'),
            KeyCode::Right => name.push('→'),
            KeyCode::Up => name.push('↑'),
            KeyCode::Down => name.push('↓'),
            KeyCode::BackTab => name.push_str("Shift-Tab"),
            KeyCode::PageUp => name.push_str("PgUp"),
            KeyCode::PageDown => name.push_str("PgDn"),
            KeyCode::Esc => name.push_str("Esc"),
            KeyCode::Enter => name.push_str("Enter"),
            KeyCode::Tab => name.push_str("Tab"),
            KeyCode::Home => name.push_str("Home"),
            KeyCode::End => name.push_str("End"),
            KeyCode::Backspace => name.push_str("Backspace"),
            KeyCode::Delete => name.push_str("Del"),
            other => return format!("{name}{other:?}"),
        }
        name
    }
}
