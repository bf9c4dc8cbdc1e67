//! The text being edited: lines, a cursor, and what can be taken back.

use super::action::Action;
use super::completion::{belongs_at_margin, is_letter};
use crate::system::Diagnostic;

/// All snapshots for undo together hold at most this many bytes.
const UNDO_BYTES: usize = 16 << 20;
/// There are at most this many of them.
const UNDO_STEPS: usize = 500;
/// The longest text, in bytes: a longer one is no system file, and would not be kept.
pub const MAX_TEXT: usize = crate::system::MAX_FILE;
/// Characters that come at once and are taken back word by word; more of them are a paste.
const BURST: usize = 64;

/// A place in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPosition {
    /// Line, from 0.
    pub line: usize,
    /// Characters before it in the line.
    pub column: usize,
}

impl TextPosition {
    /// A place, by line and column.
    pub fn new(line: usize, column: usize) -> Self {
        Self { line, column }
    }

    /// Where the text is wrong; `None` where that has no place in it.
    pub fn of(error: &Diagnostic) -> Option<Self> {
        let line = error.line.checked_sub(1)?;
        Some(Self::new(line, error.column.saturating_sub(1)))
    }
}

/// Text and cursor as they were.
#[derive(Clone, Debug, PartialEq)]
struct Snapshot {
    lines: Vec<String>,
    cursor: TextPosition,
}

impl Snapshot {
    fn bytes(&self) -> usize {
        self.lines.iter().map(|line| line.len() + 32).sum()
    }
}

/// Changes of one kind in a row are taken back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Word,
    Blank,
    Deletion,
    Completion,
    Other,
}

/// A text with a cursor. There is always at least one line.
#[derive(Clone, Debug)]
pub struct Editor {
    lines: Vec<String>,
    cursor: TextPosition,
    /// The column that up and down aim at.
    aim: usize,
    undo: Vec<Snapshot>,
    redo: Vec<Snapshot>,
    last: Option<Change>,
    /// Lines end in CR LF in the file.
    crlf: bool,
}

impl Default for Editor {
    fn default() -> Self {
        Self::new("")
    }
}

impl Editor {
    /// An editor on this text, the cursor at its start.
    pub fn new(text: &str) -> Self {
        let crlf = text.contains("\r\n") && !text.replace("\r\n", "").contains('\n');
        let lines = if crlf {
            text.split("\r\n").map(str::to_owned).collect()
        } else {
            text.split('\n').map(str::to_owned).collect()
        };
        Self {
            lines,
            cursor: TextPosition::default(),
            aim: 0,
            undo: Vec::new(),
            redo: Vec::new(),
            last: None,
            crlf,
        }
    }

    /// The text, as it would be saved.
    pub fn text(&self) -> String {
        self.lines.join(if self.crlf { "\r\n" } else { "\n" })
    }

    /// The lines; at least one.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Where the cursor is.
    pub fn cursor(&self) -> TextPosition {
        self.cursor
    }

    /// Moves the cursor, by pages of so many lines; false where the action is no move.
    pub fn go(&mut self, to: Action, page: usize) -> bool {
        let TextPosition { line, column } = self.cursor;
        let below = |count: usize| (line + count).min(self.lines.len() - 1);
        let place = match to {
            Action::Left if column > 0 => TextPosition::new(line, column - 1),
            Action::Left if line > 0 => self.end_of(line - 1),
            Action::Right if column < self.length(line) => TextPosition::new(line, column + 1),
            Action::Right if line + 1 < self.lines.len() => TextPosition::new(line + 1, 0),
            Action::Left | Action::Right => self.cursor,
            Action::Up => self.aimed(line.saturating_sub(1)),
            Action::Down => self.aimed(below(1)),
            Action::PageUp => self.aimed(line.saturating_sub(page)),
            Action::PageDown => self.aimed(below(page)),
            Action::WordLeft => self.word_left(),
            Action::WordRight => self.word_right(),
            Action::LineStart => TextPosition { line, column: 0 },
            Action::LineEnd => self.end_of(line),
            Action::TextStart => TextPosition::default(),
            Action::TextEnd => self.end_of(self.lines.len() - 1),
            _ => return false,
        };
        self.last = None;
        self.cursor = place;
        let aims = [Action::Up, Action::Down, Action::PageUp, Action::PageDown];
        if !aims.contains(&to) {
            self.aim = place.column;
        }
        true
    }

    /// Puts the cursor as near to this place as the text allows.
    pub fn go_to(&mut self, place: TextPosition) {
        let line = place.line.min(self.lines.len() - 1);
        let column = place.column.min(self.length(line));
        self.cursor = TextPosition { line, column };
        self.aim = column;
        self.last = None;
    }

    /// Whether there is room for so many bytes more.
    fn has_room(&self, bytes: usize) -> bool {
        let end = if self.crlf { 2 } else { 1 };
        let length: usize = self.lines.iter().map(|line| line.len() + end).sum();
        length.saturating_sub(end) + bytes <= MAX_TEXT
    }

    /// Types one character; whether there was room.
    pub fn insert(&mut self, symbol: char) -> bool {
        if !self.has_room(symbol.len_utf8()) {
            return false;
        }
        let change = if symbol.is_whitespace() {
            Change::Blank
        } else {
            Change::Word
        };
        self.remember(change);
        self.put(symbol.encode_utf8(&mut [0; 4]));
        if symbol == ':' && belongs_at_margin(&self.lines, self.cursor) {
            self.outdent();
        }
        true
    }

    /// Takes the blanks before the line away, as a change of its own: taken back, they are there.
    fn outdent(&mut self) {
        self.remember(Change::Other);
        let line = &mut self.lines[self.cursor.line];
        let kept = line.trim_start_matches(' ').to_owned();
        let blanks = line.len() - kept.len();
        *line = kept;
        self.moved(self.cursor.line, self.cursor.column - blanks);
    }

    /// Types what came at once, a new line for each line break; whether there was room. Lines that bring blanks of their own were
    /// copied, by a terminal that does not tell: they get no others.
    pub fn burst(&mut self, text: &str) -> bool {
        if text.contains("\n ") {
            return self.paste(text);
        }
        let mut symbols = text.chars();
        if symbols.by_ref().take(BURST + 1).count() <= BURST {
            return text.chars().all(|symbol| match symbol {
                '\n' => self.newline(),
                symbol => self.insert(symbol),
            });
        }
        if !self.has_room(text.len()) {
            return false;
        }
        self.remember(Change::Other);
        let mut pieces = text.split('\n');
        self.put(pieces.next().unwrap_or_default());
        for piece in pieces {
            self.break_line();
            self.put(piece);
        }
        true
    }

    /// Puts letters before the cursor.
    fn put(&mut self, piece: &str) {
        let at = self.byte(self.cursor);
        self.lines[self.cursor.line].insert_str(at, piece);
        let column = self.cursor.column + piece.chars().count();
        self.moved(self.cursor.line, column);
    }

    /// Inserts a text of any number of lines, taken back as one; whether there was room.
    pub fn paste(&mut self, text: &str) -> bool {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        if text.is_empty() {
            return true;
        }
        let more = if self.crlf {
            text.matches('\n').count()
        } else {
            0
        };
        if !self.has_room(text.len() + more) {
            return false;
        }
        self.remember(Change::Other);
        let at = self.byte(self.cursor);
        let line = self.cursor.line;
        let (before, rest) = self.lines[line].split_at(at);
        let (new, rest) = (format!("{before}{text}"), rest.to_owned());
        let last = line + text.matches('\n').count();
        self.lines
            .splice(line..=line, new.split('\n').map(str::to_owned));
        self.moved(last, self.length(last));
        self.lines[last].push_str(&rest);
        true
    }

    /// Puts other letters in the place of those before the cursor; several times in a row it is one step.
    pub fn put_before(&mut self, count: usize, text: &str) {
        self.remember(Change::Completion);
        let end = self.byte(self.cursor);
        self.cursor.column -= count.min(self.cursor.column);
        let start = self.byte(self.cursor);
        self.lines[self.cursor.line].replace_range(start..end, "");
        self.put(text);
    }

    /// Puts another text in the place of this one, taken back as one change; the cursor stays as near to
    /// where it is as it can.
    pub fn replace(&mut self, text: &str) {
        let other = Self::new(text);
        if other.lines == self.lines && other.crlf == self.crlf {
            return;
        }
        self.remember(Change::Other);
        self.lines = other.lines;
        self.crlf = other.crlf;
        self.go_to(self.cursor);
    }

    /// Begins a new line with the blanks that this one begins with; whether there was room.
    pub fn newline(&mut self) -> bool {
        let blanks = self.lines[self.cursor.line]
            .bytes()
            .take_while(|&b| b == b' ')
            .count();
        if !self.has_room(blanks + 2) {
            return false;
        }
        self.remember(Change::Other);
        self.break_line();
        true
    }

    fn break_line(&mut self) {
        let at = self.byte(self.cursor);
        let line = &mut self.lines[self.cursor.line];
        let rest = line.split_off(at);
        let blanks: String = line.chars().take_while(|&c| c == ' ').collect();
        let column = blanks.len();
        self.lines.insert(self.cursor.line + 1, blanks + &rest);
        self.moved(self.cursor.line + 1, column);
    }

    /// Deletes from the cursor to where the move would take it.
    pub fn delete(&mut self, to: Action) {
        let here = self.cursor;
        let last = self.last;
        self.go(to, 1);
        let (from, to) = (here.min(self.cursor), here.max(self.cursor));
        self.cursor = here;
        self.last = last;
        if from == to {
            return;
        }
        self.remember(Change::Deletion);
        let (start, end) = (self.byte(from), self.byte(to));
        let rest = self.lines[to.line][end..].to_owned();
        self.lines[from.line].truncate(start);
        self.lines[from.line].push_str(&rest);
        self.lines.drain(from.line + 1..=to.line);
        self.moved(from.line, from.column);
    }

    /// Is the cursor behind the last symbol of its line?
    pub fn at_line_end(&self) -> bool {
        self.cursor.column >= self.length(self.cursor.line)
    }

    /// Takes back the last change; whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(snapshot) = self.undo.pop() else {
            return false;
        };
        let now = self.restore(snapshot);
        self.redo.push(now);
        true
    }

    /// Makes the change again that was taken back last; whether there was one.
    pub fn redo(&mut self) -> bool {
        let Some(snapshot) = self.redo.pop() else {
            return false;
        };
        let now = self.restore(snapshot);
        self.undo.push(now);
        true
    }

    fn restore(&mut self, snapshot: Snapshot) -> Snapshot {
        let cursor = std::mem::replace(&mut self.cursor, snapshot.cursor);
        let lines = std::mem::replace(&mut self.lines, snapshot.lines);
        self.aim = self.cursor.column;
        self.last = None;
        Snapshot { lines, cursor }
    }

    /// Keeps the text as it is before a change that begins a new step.
    fn remember(&mut self, change: Change) {
        self.redo.clear();
        let joins = self.last == Some(change) && change != Change::Other
            // a blank ends a word, and belongs to it
            || self.last == Some(Change::Word) && change == Change::Blank;
        self.last = Some(change);
        if joins {
            return;
        }
        self.undo.push(Snapshot {
            lines: self.lines.clone(),
            cursor: self.cursor,
        });
        let mut bytes: usize = self.undo.iter().map(Snapshot::bytes).sum();
        while self.undo.len() > 1 && (bytes > UNDO_BYTES || self.undo.len() > UNDO_STEPS) {
            bytes -= self.undo.remove(0).bytes();
        }
    }

    fn moved(&mut self, line: usize, column: usize) {
        self.cursor = TextPosition { line, column };
        self.aim = column;
    }

    fn length(&self, line: usize) -> usize {
        self.lines[line].chars().count()
    }

    fn end_of(&self, line: usize) -> TextPosition {
        TextPosition::new(line, self.length(line))
    }

    fn aimed(&self, line: usize) -> TextPosition {
        TextPosition::new(line, self.aim.min(self.length(line)))
    }

    fn byte(&self, place: TextPosition) -> usize {
        let line = &self.lines[place.line];
        line.char_indices()
            .nth(place.column)
            .map_or(line.len(), |(at, _)| at)
    }

    fn word_left(&self) -> TextPosition {
        let TextPosition { line, column } = self.cursor;
        if column == 0 {
            return match line {
                0 => self.cursor,
                _ => self.end_of(line - 1),
            };
        }
        let before: Vec<char> = self.lines[line].chars().take(column).collect();
        let word = before.iter().rposition(|c| is_letter(*c));
        let start = before[..word.unwrap_or(0)]
            .iter()
            .rposition(|c| !is_letter(*c));
        TextPosition::new(line, start.map_or(0, |at| at + 1))
    }

    fn word_right(&self) -> TextPosition {
        let TextPosition { line, column } = self.cursor;
        if column == self.length(line) && line + 1 < self.lines.len() {
            return TextPosition::new(line + 1, 0);
        }
        let mut rest = self.lines[line].chars().skip(column).peekable();
        let mut passed = column;
        for of_word in [true, false] {
            while rest.next_if(|c| is_letter(*c) == of_word).is_some() {
                passed += 1;
            }
        }
        TextPosition::new(line, passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(editor: &mut Editor, text: &str) {
        text.chars().for_each(|c| assert!(editor.insert(c)));
    }

    #[test]
    fn text_comes_back_as_it_was() {
        for text in [
            "",
            "\n",
            "a: 1\nb: 2\n",
            "a\r\nb\r\n",
            "mixed\r\nends\n",
            "ü角\n",
        ] {
            assert_eq!(Editor::new(text).text(), text);
        }
    }

    #[test]
    fn typing_and_moving() {
        let mut editor = Editor::new("a: 1\n  bc: 2");
        editor.go(Action::Down, 1);
        editor.go(Action::LineEnd, 1);
        typed(&mut editor, "5");
        editor.newline();
        typed(&mut editor, "ü");
        assert_eq!(editor.text(), "a: 1\n  bc: 25\n  ü");
        editor.go(Action::Up, 1);
        assert_eq!(editor.cursor(), TextPosition { line: 1, column: 3 });
        editor.go(Action::WordRight, 1);
        assert_eq!(editor.cursor().column, 6);
        editor.go(Action::WordLeft, 1);
        assert_eq!(editor.cursor().column, 2);
        editor.go(Action::PageUp, 9);
        editor.go(Action::LineStart, 1);
        editor.go(Action::Left, 1);
        assert_eq!(editor.cursor(), TextPosition::default());
    }

    #[test]
    fn deleting_joins_lines() {
        let mut editor = Editor::new("ab\ncd\nef");
        editor.go_to(TextPosition { line: 1, column: 0 });
        editor.delete(Action::Left);
        assert_eq!(editor.text(), "abcd\nef");
        assert_eq!(editor.cursor(), TextPosition { line: 0, column: 2 });
        editor.delete(Action::LineEnd);
        editor.delete(Action::Right);
        assert_eq!(editor.text(), "abef");
        editor.go(Action::TextStart, 1);
        editor.delete(Action::Left);
        assert_eq!(editor.text(), "abef");
    }

    #[test]
    fn undo_takes_words() {
        let mut editor = Editor::new("");
        typed(&mut editor, "one two");
        assert!(editor.undo());
        assert_eq!(editor.text(), "one ");
        assert!(editor.undo());
        assert_eq!(editor.text(), "");
        assert!(!editor.undo());
        assert!(editor.redo() && editor.redo() && !editor.redo());
        assert_eq!(editor.text(), "one two");
        editor.undo();
        typed(&mut editor, "x");
        assert!(!editor.redo());
    }

    #[test]
    fn a_paste_is_one_step() {
        let mut editor = Editor::new("ab");
        editor.go(Action::Right, 1);
        editor.paste("1\r\n2\r3");
        assert_eq!(editor.text(), "a1\n2\n3b");
        assert_eq!(editor.cursor(), TextPosition { line: 2, column: 1 });
        editor.undo();
        assert_eq!(editor.text(), "ab");
    }

    #[test]
    fn a_text_has_a_bound_and_nothing_is_cut() {
        let mut editor = Editor::new("");
        assert!(editor.paste(&"x".repeat(MAX_TEXT - 3)));
        assert!(!editor.paste("four") && editor.paste("one"));
        assert!(!editor.insert('x') && !editor.newline());
        assert!(!editor.burst(&"y".repeat(100)) && !editor.burst("y"));
        assert_eq!(editor.text().len(), MAX_TEXT);
        editor.undo();
        assert!(editor.insert('x'));
        // of an earlier program: it is there whole, and can be made shorter
        editor.replace(&"z".repeat(2 * MAX_TEXT));
        assert_eq!(editor.text().len(), 2 * MAX_TEXT);
        editor.delete(Action::Right);
        assert!(!editor.insert('x') && editor.text().len() == 2 * MAX_TEXT - 1);
    }

    #[test]
    fn what_comes_at_once_is_as_if_it_were_typed() {
        let typed = |text: &str| {
            let mut editor = Editor::new("  ab\r\n");
            editor.go(Action::Right, 1);
            editor.go(Action::Right, 1);
            let mut other = editor.clone();
            editor.burst(text);
            text.chars().for_each(|symbol| match symbol {
                '\n' => assert!(other.newline()),
                symbol => assert!(other.insert(symbol)),
            });
            assert_eq!(
                (editor.text(), editor.cursor()),
                (other.text(), other.cursor())
            );
            editor
        };
        typed("x: é\ny\nz");
        let mut long = typed(&"x: é\ny\nz ".repeat(20));
        assert!(long.undo() && !long.undo());
    }

    #[test]
    fn a_text_in_the_place_of_another_is_one_step() {
        let mut editor = Editor::new("ab\ncd\nef");
        editor.go(Action::TextEnd, 1);
        editor.replace("x\ny");
        assert_eq!(editor.text(), "x\ny");
        assert_eq!(editor.cursor(), TextPosition { line: 1, column: 1 });
        assert!(editor.undo() && !editor.undo());
        assert_eq!(editor.text(), "ab\ncd\nef");
        editor.replace("ab\ncd\nef");
        assert!(!editor.undo());
    }

    #[test]
    fn memory_of_changes_is_bounded() {
        let mut editor = Editor::new(&"x".repeat(200_000));
        for _ in 0..300 {
            editor.newline();
        }
        let bytes: usize = editor.undo.iter().map(Snapshot::bytes).sum();
        assert!(bytes <= UNDO_BYTES, "{bytes}");
    }
}
