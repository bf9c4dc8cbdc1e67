//! Everything a key can do: one table, from which keys, footer and help are made.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What the keys mean at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// Looking at the panes.
    Browse,
    /// Moving a probe along the constraint set; what is no key of its own is one of [`Context::Browse`].
    Probe,
    /// Typing into the System pane.
    Edit,
    /// The help is shown.
    Help,
    /// Choosing a system.
    Systems,
    /// Choosing the columns of the plot.
    Columns,
    /// Changing parameters.
    Parameters,
    /// Choosing a problem.
    Problems,
    /// Reading how the methods compare.
    Methods,
    /// Looking at the equilibria.
    Equilibria,
    /// Typing a file name.
    Name,
    /// Unsaved text is about to be left.
    Leave,
    /// A file is about to be overwritten.
    Overwrite,
    /// Looking for an action by its words.
    Palette,
    /// Text of an earlier session was found.
    Recover,
    /// The file was changed by another program.
    Disk,
    /// Looking for a piece of the text.
    Find,
}

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the table says what each of them does
pub enum Action {
    Edit,
    EndEdit,
    Play,
    StepBack,
    StepForward,
    LeapBack,
    LeapForward,
    PreviousFlag,
    NextFlag,
    ToStart,
    ToEnd,
    Slower,
    Faster,
    NextPane,
    PreviousPane,
    Zoom,
    ScrollUp,
    ScrollDown,
    PageUp,
    PageDown,
    NextPlot,
    Map,
    Probe,
    ProbeOn,
    ProbeBack,
    ProbeUp,
    ProbeDown,
    ProbeFarOn,
    ProbeFarBack,
    EndProbe,
    Closer,
    Farther,
    Before,
    After,
    Whole,
    LogAxes,
    Drift,
    Aspect,
    Characters,
    CopyPlot,
    CopyRow,
    Export,
    Screen,
    NextForm,
    PreviousForm,
    CopyText,
    CopyLatex,
    NextY,
    PreviousY,
    NextX,
    PreviousX,
    Columns,
    Parameters,
    Less,
    More,
    LessFine,
    MoreFine,
    WriteValue,
    ResetValue,
    FreeParameter,
    Problems,
    Methods,
    Equilibria,
    PreviousMode,
    NextMode,
    Open,
    Open1,
    Open2,
    Open3,
    Save,
    Reload,
    Undo,
    Redo,
    Find,
    FindNext,
    FindPrevious,
    Help,
    Quit,
    Redraw,
    Palette,
    Top,
    Bottom,
    HalfUp,
    HalfDown,
    New,
    External,
    Theme,
    Mouse,
    Suspend,
    // typing
    Left,
    Right,
    Up,
    Down,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
    Backspace,
    Delete,
    DeleteWord,
    DeleteToEnd,
    DeleteLine,
    Enter,
    Complete,
    CompleteBack,
    // dialogs
    Close,
    Accept,
    ToggleY,
    SetX,
    SaveAndLeave,
    Discard,
    Overwrite,
    Restore,
    Forget,
    ReadDisk,
    KeepMine,
}

/// A key with its modifiers; Shift is part of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

const fn key(code: KeyCode) -> Key {
    Key {
        code,
        modifiers: KeyModifiers::NONE,
    }
}

const fn ch(symbol: char) -> Key {
    key(KeyCode::Char(symbol))
}

const fn ctrl(symbol: char) -> Key {
    with(KeyCode::Char(symbol), KeyModifiers::CONTROL)
}

const fn with(code: KeyCode, modifiers: KeyModifiers) -> Key {
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
        let mut name = String::new();
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            name.push_str("Ctrl-");
        }
        if self.modifiers.contains(KeyModifiers::SHIFT) {
            name.push_str("Shift-");
        }
        match self.code {
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

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// What is done.
    pub action: Action,
    /// By which keys; the first is the one shown in the footer.
    pub keys: &'static [Key],
    /// A word for the footer, empty where it is not shown there. Neighbours with the same word share it.
    pub title: &'static str,
    /// A sentence for the help.
    pub help: &'static str,
    /// When the keys mean this.
    pub when: &'static [Context],
}

const PROBE: &[Context] = &[Context::Probe];
const BROWSE: &[Context] = &[Context::Browse];
const EDIT: &[Context] = &[Context::Edit];
const PANES: &[Context] = &[Context::Browse, Context::Edit];
const SLIDERS: &[Context] = &[Context::Parameters];
const LISTS: &[Context] = &[
    Context::Browse,
    Context::Help,
    Context::Systems,
    Context::Columns,
    Context::Parameters,
    Context::Problems,
    Context::Methods,
    Context::Equilibria,
];
/// Lists of which a line is chosen, and texts that are only read.
const CHOICES: &[Context] = &[
    Context::Systems,
    Context::Columns,
    Context::Parameters,
    Context::Problems,
    Context::Equilibria,
];
const READING: &[Context] = &[Context::Browse, Context::Help, Context::Methods];
/// What is longer than a screen may be gone through page by page.
const PAGES: &[Context] = &[
    Context::Browse,
    Context::Edit,
    Context::Help,
    Context::Systems,
    Context::Columns,
    Context::Parameters,
    Context::Problems,
    Context::Methods,
    Context::Equilibria,
    Context::Palette,
];
/// What has a first line and a last one, besides the panes.
const ENDS: &[Context] = &[
    Context::Help,
    Context::Systems,
    Context::Columns,
    Context::Parameters,
    Context::Problems,
    Context::Methods,
    Context::Equilibria,
];
const LINES: &[Context] = &[Context::Name, Context::Palette, Context::Find];
const TYPING: &[Context] = &[
    Context::Edit,
    Context::Name,
    Context::Palette,
    Context::Find,
];
const VIEWS: &[Context] = &[
    Context::Parameters,
    Context::Problems,
    Context::Methods,
    Context::Equilibria,
];
const RESTS: &[Context] = &[Context::Equilibria];
const DIALOGS: &[Context] = &[
    Context::Systems,
    Context::Columns,
    Context::Name,
    Context::Leave,
    Context::Overwrite,
    Context::Palette,
];
const ALL: &[Context] = &[
    Context::Browse,
    Context::Probe,
    Context::Edit,
    Context::Help,
    Context::Systems,
    Context::Columns,
    Context::Parameters,
    Context::Problems,
    Context::Methods,
    Context::Equilibria,
    Context::Name,
    Context::Leave,
    Context::Overwrite,
    Context::Palette,
    Context::Recover,
    Context::Disk,
    Context::Find,
];

const fn bind(
    action: Action,
    keys: &'static [Key],
    words: (&'static str, &'static str),
    when: &'static [Context],
) -> Binding {
    Binding {
        action,
        keys,
        title: words.0,
        help: words.1,
        when,
    }
}

const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

/// The table. Its order is that of footer and help.
#[rustfmt::skip] // a table
pub const TABLE: &[Binding] = &[
    bind(Action::Edit, &[ch('e'), ch('i'), key(KeyCode::Enter)], ("edit", "edit the system in its pane"), BROWSE),
    bind(Action::EndEdit, &[key(KeyCode::Esc), ctrl('c')], ("done", "leave the editor, keep the text"), EDIT),
    bind(Action::Play, &[ch(' ')], ("play", "play or pause the motion"), BROWSE),
    bind(Action::StepBack, &[key(KeyCode::Left), ch('h')], ("step", "one step back"), BROWSE),
    bind(Action::StepForward, &[key(KeyCode::Right), ch('l')], ("step", "one step on"), BROWSE),
    bind(Action::LeapBack, &[with(KeyCode::Left, SHIFT), ch('H')], ("", "twenty steps back"), BROWSE),
    bind(Action::LeapForward, &[with(KeyCode::Right, SHIFT), ch('L')], ("", "twenty steps on"), BROWSE),
    bind(Action::NextFlag, &[ch('n')], ("failure", "go to the next failure of the theorem on the way"), BROWSE),
    bind(Action::PreviousFlag, &[ch('N')], ("", "go to the failure before"), BROWSE),
    bind(Action::ToStart, &[key(KeyCode::Home), ch('0')], ("", "go to the start of the motion"), BROWSE),
    bind(Action::ToEnd, &[key(KeyCode::End), ch('$')], ("", "go to its end"), BROWSE),
    bind(Action::Slower, &[ch('-')], ("", "play half as fast"), BROWSE),
    bind(Action::Faster, &[ch('+'), ch('=')], ("", "play twice as fast"), BROWSE),
    bind(Action::NextPane, &[key(KeyCode::Tab)], ("pane", "give the keys to the next pane"), BROWSE),
    bind(Action::PreviousPane, &[key(KeyCode::BackTab)], ("", "give the keys to the pane before"), BROWSE),
    bind(Action::EndProbe, &[key(KeyCode::Esc), ch('.')], ("back to the motion", "back to the motion"), PROBE),
    bind(Action::ProbeBack, &[key(KeyCode::Left), ch('h')], ("along the set", "the probe goes back along the constraint set"), PROBE),
    bind(Action::ProbeOn, &[key(KeyCode::Right), ch('l')], ("along the set", "the probe goes on along the constraint set"), PROBE),
    bind(Action::ProbeUp, &[key(KeyCode::Up), ch('k')], ("", "up, on a surface"), PROBE),
    bind(Action::ProbeDown, &[key(KeyCode::Down), ch('j')], ("", "down, on a surface"), PROBE),
    bind(Action::ProbeFarBack, &[with(KeyCode::Left, SHIFT), ch('H')], ("", "ten steps back"), PROBE),
    bind(Action::ProbeFarOn, &[with(KeyCode::Right, SHIFT), ch('L')], ("", "ten steps on"), PROBE),
    bind(Action::Zoom, &[ch('z')], ("zoom", "the pane that has the keys on the whole screen, and back"), &[Context::Browse, Context::Probe]),
    bind(Action::NextPlot, &[ch('v')], ("view", "the next view of the plot"), BROWSE),
    bind(Action::Map, &[ch('m')], ("map", "a map: the constraint set, where the theorem fails, and the motion"), BROWSE),
    bind(Action::Probe, &[ch('.')], ("", "a probe: the arrow keys move it along the constraint set, the verdict follows"), BROWSE),
    bind(Action::Closer, &[ch(']')], ("", "see less of the plot, larger, round the time shown"), BROWSE),
    bind(Action::Farther, &[ch('[')], ("", "see more of it"), BROWSE),
    bind(Action::Before, &[ch('<')], ("", "see what is before (↑ ↓ PgUp PgDn: up and down)"), BROWSE),
    bind(Action::After, &[ch('>')], ("", "see what comes after"), BROWSE),
    bind(Action::Whole, &[ch('w')], ("", "see the whole of it"), BROWSE),
    bind(Action::LogAxes, &[ch('S')], ("", "logarithmic axes: y, x, both, none"), BROWSE),
    bind(Action::Drift, &[ch('d')], ("", "curves as their change from the start, or as they are"), BROWSE),
    bind(Action::Aspect, &[ch('a')], ("", "one unit for both axes, or each its own"), BROWSE),
    bind(Action::Characters, &[ch('b')], ("", "draw with braille, blocks, or plain ASCII"), BROWSE),
    bind(Action::CopyPlot, &[ch('P')], ("", "copy the plot to the clipboard, as text"), BROWSE),
    bind(Action::CopyRow, &[ch('R')], ("", "copy its numbers at the sample next to the time shown"), BROWSE),
    bind(Action::Export, &[ch('E')], ("", "write what is plotted to a file: SVG, CSV, JSON or text"), BROWSE),
    bind(Action::Screen, &[ch('I')], ("", "write the screen to a file as an image: SVG, or text"), BROWSE),
    bind(Action::NextForm, &[ch('f')], ("", "the next form of the equations"), BROWSE),
    bind(Action::PreviousForm, &[ch('F')], ("", "the form before"), BROWSE),
    bind(Action::CopyText, &[ch('C')], ("", "copy the equations shown to the clipboard, as text that reads back"), BROWSE),
    bind(Action::CopyLatex, &[ch('T')], ("", "copy them as LaTeX"), BROWSE),
    bind(Action::Parameters, &[ch('p')], ("parameters", "the parameters as sliders; motion and verdict follow"), BROWSE),
    bind(Action::Methods, &[ch('D')], ("", "how far the methods differ, what each costs, and the facts known"), BROWSE),
    bind(Action::Equilibria, &[ch('B')], ("", "the equilibria: where it can rest, stable or not, and how it swings there"), BROWSE),
    bind(Action::Problems, &[ch('!')], ("", "all errors, failures and notes; Enter goes to the place"), BROWSE),
    bind(Action::Less, &[key(KeyCode::Left), ch('h')], ("change", "less of the chosen parameter"), SLIDERS),
    bind(Action::More, &[key(KeyCode::Right), ch('l')], ("change", "more of it"), SLIDERS),
    bind(Action::LessFine, &[with(KeyCode::Left, SHIFT), ch('H')], ("", "a little less"), SLIDERS),
    bind(Action::MoreFine, &[with(KeyCode::Right, SHIFT), ch('L')], ("", "a little more"), SLIDERS),
    bind(Action::WriteValue, &[ch('w'), key(KeyCode::Enter)], ("write", "write the value into the text"), SLIDERS),
    bind(Action::ResetValue, &[ch('r')], ("reset", "what the text says again"), SLIDERS),
    bind(Action::FreeParameter, &[ch('f')], ("free", "make it a coordinate: its multiplier is the force that holds it"), SLIDERS),
    bind(Action::Accept, &[key(KeyCode::Enter), ch('l')], ("go there", "go to the place or time of the problem"), &[Context::Problems]),
    bind(Action::Accept, &[key(KeyCode::Enter)], ("go there", "put the probe and the picture there"), RESTS),
    bind(Action::PreviousMode, &[key(KeyCode::Left), ch('h')], ("mode", "the mode of oscillation before"), RESTS),
    bind(Action::NextMode, &[key(KeyCode::Right), ch('l')], ("mode", "the next mode of oscillation"), RESTS),
    bind(Action::Play, &[ch(' ')], ("swing or rest", "let the mode swing, or hold it"), RESTS),
    bind(Action::Open, &[ch('o')], ("open", "open another system"), BROWSE),
    bind(Action::NextY, &[ch('y')], ("axes", "plot the next column"), BROWSE),
    bind(Action::PreviousY, &[ch('Y')], ("", "plot the column before"), BROWSE),
    bind(Action::NextX, &[ch('x')], ("axes", "plot against the next column"), BROWSE),
    bind(Action::PreviousX, &[ch('X')], ("", "plot against the column before"), BROWSE),
    bind(Action::Columns, &[ch('c')], ("columns", "choose what is plotted against what"), BROWSE),
    bind(Action::New, &[ch('A')], ("", "begin a new system from a template"), BROWSE),
    bind(Action::New, &[ch('n'), ch('A')], ("new", "begin a new system from a template"), &[Context::Systems]),
    bind(Action::External, &[ch('V')], ("", "edit the text with $VISUAL or $EDITOR"), BROWSE),
    bind(Action::Open1, &[ch('1')], ("", "open the first built-in system"), BROWSE),
    bind(Action::Open2, &[ch('2')], ("", "open the second built-in system"), BROWSE),
    bind(Action::Open3, &[ch('3')], ("", "open the third built-in system"), BROWSE),
    bind(Action::Save, &[ctrl('s')], ("save", "save the text to its file"), PANES),
    bind(Action::Save, &[ch('s')], ("", "save the text to its file"), BROWSE),
    bind(Action::Reload, &[ch('r')], ("", "read the file again"), BROWSE),
    bind(Action::Undo, &[ctrl('u')], ("undo", "take back the last change of the text"), EDIT),
    bind(Action::Undo, &[ch('u')], ("", "take back the last change of the text"), BROWSE),
    bind(Action::Redo, &[ctrl('r')], ("redo", "make it again"), PANES),
    bind(Action::Redo, &[ch('U')], ("", "make it again"), BROWSE),
    bind(Action::Find, &[ch('/')], ("", "look for a piece of the text"), BROWSE),
    bind(Action::Find, &[ctrl('g')], ("find", "look for a piece of the text"), EDIT),
    bind(Action::FindNext, &[key(KeyCode::F(3))], ("", "go to the next place of it"), PANES),
    bind(Action::FindPrevious, &[with(KeyCode::F(3), SHIFT)], ("", "go to the place before"), PANES),
    bind(Action::Accept, &[key(KeyCode::Enter)], ("stay there", "stay at the place that was found"), &[Context::Find]),
    bind(Action::ScrollDown, &[key(KeyCode::Down), ctrl('n'), key(KeyCode::F(3))], ("next", "the next place"), &[Context::Find]),
    bind(Action::ScrollUp, &[key(KeyCode::Up), ctrl('p'), with(KeyCode::F(3), SHIFT)], ("before", "the place before"), &[Context::Find]),
    bind(Action::Close, &[key(KeyCode::Esc), ctrl('c')], ("back", "back to where the search began"), &[Context::Find]),

    bind(Action::Accept, &[key(KeyCode::Enter), ch('l')], ("open", "open the chosen system"), &[Context::Systems]),
    bind(Action::ToggleY, &[ch(' '), ch('y')], ("plot or not", "plot the chosen column, or not"), &[Context::Columns]),
    bind(Action::SetX, &[ch('x')], ("x axis", "plot against the chosen column"), &[Context::Columns]),
    bind(Action::Accept, &[key(KeyCode::Enter)], ("done", "back to the panes"), &[Context::Columns]),
    bind(Action::Accept, &[key(KeyCode::Enter)], ("save", "save under this name"), &[Context::Name]),
    bind(Action::SaveAndLeave, &[ch('s'), ctrl('s')], ("save", "save the text, then go on"), &[Context::Leave]),
    bind(Action::Discard, &[ch('d')], ("discard", "go on without the changes"), &[Context::Leave]),
    bind(Action::Overwrite, &[ch('o')], ("overwrite", "replace what the file holds"), &[Context::Overwrite]),
    bind(Action::Accept, &[key(KeyCode::Enter)], ("do it", "do what is chosen"), &[Context::Palette]),
    bind(Action::ScrollUp, &[key(KeyCode::Up), ctrl('p')], ("choose", "the action before"), &[Context::Palette]),
    bind(Action::ScrollDown, &[key(KeyCode::Down), ctrl('n')], ("choose", "the next action"), &[Context::Palette]),
    bind(Action::Restore, &[ch('r')], ("restore", "go on with the text that was kept"), &[Context::Recover]),
    bind(Action::Forget, &[ch('d')], ("discard", "give it up"), &[Context::Recover]),
    bind(Action::Close, &[key(KeyCode::Esc), ctrl('c')], ("later", "keep it, and ask again at the next start"), &[Context::Recover]),
    bind(Action::ReadDisk, &[ch('r')], ("read it", "show what the file holds now; undo brings the text back"), &[Context::Disk]),
    bind(Action::KeepMine, &[ch('k')], ("keep mine", "go on with the text as it is; saving replaces the file"), &[Context::Disk]),
    bind(Action::Close, &[key(KeyCode::Esc), ctrl('c')], ("later", "decide when the text is saved"), &[Context::Disk]),
    bind(Action::Close, &[key(KeyCode::Esc), ctrl('c')], ("cancel", "back, and nothing is done"), DIALOGS),
    bind(Action::Close, &[key(KeyCode::Esc), ctrl('c'), ch('q')], ("back", "back to the panes"), VIEWS),
    bind(Action::Close, &[key(KeyCode::Esc), ctrl('c'), ch('q'), ch('?'), key(KeyCode::F(1)), key(KeyCode::Enter)], ("back", "back to the panes"), &[Context::Help]),

    bind(Action::ScrollUp, &[key(KeyCode::Up), ch('k')], ("choose", "the line before"), CHOICES),
    bind(Action::ScrollDown, &[key(KeyCode::Down), ch('j')], ("choose", "the next line"), CHOICES),
    bind(Action::ScrollUp, &[key(KeyCode::Up), ch('k')], ("scroll", "up"), READING),
    bind(Action::ScrollDown, &[key(KeyCode::Down), ch('j')], ("scroll", "down"), READING),
    bind(Action::PageUp, &[key(KeyCode::PageUp), ctrl('b')], ("", "a page up"), PAGES),
    bind(Action::PageDown, &[key(KeyCode::PageDown), ctrl('f')], ("", "a page down"), PAGES),
    bind(Action::HalfUp, &[ctrl('u')], ("", "half a page up"), LISTS),
    bind(Action::HalfDown, &[ctrl('d')], ("", "half a page down"), LISTS),
    bind(Action::Top, &[ch('g'), with(KeyCode::Home, CTRL)], ("", "to the first line of the pane"), BROWSE),
    bind(Action::Bottom, &[ch('G'), with(KeyCode::End, CTRL)], ("", "to its last line"), BROWSE),
    bind(Action::Top, &[ch('g'), key(KeyCode::Home)], ("", "to the first line"), ENDS),
    bind(Action::Bottom, &[ch('G'), key(KeyCode::End)], ("", "to the last line"), ENDS),

    bind(Action::Left, &[key(KeyCode::Left)], ("", "to the left"), TYPING),
    bind(Action::Right, &[key(KeyCode::Right)], ("", "to the right"), TYPING),
    bind(Action::Up, &[key(KeyCode::Up)], ("", "a line up"), EDIT),
    bind(Action::Down, &[key(KeyCode::Down)], ("", "a line down"), EDIT),
    bind(Action::WordLeft, &[with(KeyCode::Left, CTRL)], ("", "a word to the left"), EDIT),
    bind(Action::WordRight, &[with(KeyCode::Right, CTRL)], ("", "a word to the right"), EDIT),
    bind(Action::LineStart, &[key(KeyCode::Home), ctrl('a')], ("", "to the start of the line"), TYPING),
    bind(Action::LineEnd, &[key(KeyCode::End), ctrl('e')], ("", "to the end of the line"), TYPING),
    bind(Action::TextStart, &[with(KeyCode::Home, CTRL)], ("", "to the start of the text"), EDIT),
    bind(Action::TextEnd, &[with(KeyCode::End, CTRL)], ("", "to the end of the text"), EDIT),
    bind(Action::Backspace, &[key(KeyCode::Backspace), ctrl('h')], ("", "delete the character before"), TYPING),
    bind(Action::DeleteWord, &[ctrl('w')], ("", "delete the word before"), LINES),
    bind(Action::DeleteLine, &[ctrl('u')], ("", "delete the line"), LINES),
    bind(Action::Delete, &[key(KeyCode::Delete), ctrl('d')], ("", "delete the character here"), TYPING),
    bind(Action::DeleteWord, &[ctrl('w')], ("", "delete the word before"), EDIT),
    bind(Action::DeleteToEnd, &[ctrl('k')], ("", "delete to the end of the line"), EDIT),
    bind(Action::Enter, &[key(KeyCode::Enter)], ("", "begin a new line, indented like this one"), EDIT),
    bind(Action::Complete, &[key(KeyCode::Tab)], ("complete", "complete the key or name before the cursor, again: the next one; else two blanks"), EDIT),
    bind(Action::CompleteBack, &[key(KeyCode::BackTab)], ("", "the completion before"), EDIT),

    bind(Action::Redraw, &[ctrl('l')], ("", "draw the screen anew"), &[Context::Browse, Context::Edit, Context::Help]),
    bind(Action::Theme, &[ch('t')], ("", "another theme: dark, light, high contrast, without colour"), BROWSE),
    bind(Action::Mouse, &[ch('M')], ("", "the mouse for holonom, or for the terminal to select text"), BROWSE),
    bind(Action::Suspend, &[ctrl('z')], ("", "stop the program; `fg` in the shell goes on"), ALL),
    bind(Action::Quit, &[ch('q'), ctrl('q'), ctrl('c')], ("quit", "leave the program"), BROWSE),
    bind(Action::Quit, &[ctrl('q')], ("quit", "leave the program"), &[Context::Edit, Context::Help, Context::Systems, Context::Columns, Context::Name, Context::Palette]),
    bind(Action::Palette, &[ch(':'), ctrl('p')], ("commands", "look for an action by its words, and do it"), &[Context::Browse, Context::Probe]),
    bind(Action::Palette, &[ctrl('p')], ("commands", "look for an action by its words, and do it"), EDIT),
    bind(Action::Help, &[ch('?'), key(KeyCode::F(1))], ("keys", "what the keys do"), &[Context::Browse, Context::Probe]),
    bind(Action::Help, &[key(KeyCode::F(1))], ("keys", "what the keys do"), EDIT),
];

/// What a key does, if it does anything.
pub fn find(context: Context, key: Key) -> Option<Action> {
    let own = TABLE
        .iter()
        .find(|binding| binding.when.contains(&context) && binding.keys.contains(&key))
        .map(|binding| binding.action);
    match (own, context) {
        (None, Context::Probe) => find(Context::Browse, key),
        (own, _) => own,
    }
}

/// An entry of the footer: keys and a word, each key with what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Names of the keys, and their actions.
    pub keys: Vec<(String, Action)>,
    /// The word.
    pub title: &'static str,
}

impl Entry {
    /// The names of its keys, in a row.
    pub fn names(&self) -> String {
        self.keys.iter().map(|(name, _)| name.as_str()).collect()
    }
}

/// The footer's entries; neighbours with the same word are joined (`←→ step`).
pub fn footer(context: Context) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let shown = |binding: &&Binding| binding.when.contains(&context) && !binding.title.is_empty();
    for binding in TABLE.iter().filter(shown) {
        let name = binding.keys.first().map(|key| key.name());
        let key = (name.unwrap_or_default(), binding.action);
        match entries.last_mut() {
            Some(entry) if entry.title == binding.title => entry.keys.push(key),
            _ => entries.push(Entry {
                keys: vec![key],
                title: binding.title,
            }),
        }
    }
    entries
}

/// Every action that can be taken from here, once, with its first words and all its keys: the lines of the
/// palette. While a text is edited the editor's own actions come first.
pub fn offered(editing: bool) -> Vec<Offer> {
    let contexts: &[Context] = if editing {
        &[Context::Edit, Context::Browse]
    } else {
        BROWSE
    };
    let mut offers: Vec<Offer> = Vec::new();
    for context in contexts {
        for binding in TABLE.iter().filter(|b| b.when.contains(context)) {
            // to open the palette from the palette leads nowhere
            if binding.action == Action::Palette {
                continue;
            }
            let names = binding.keys.iter().map(|key| key.name());
            match offers.iter_mut().find(|o| o.action == binding.action) {
                // keys that would be typed as text while editing are no news to the editor
                Some(offer) if !editing => offer.keys.extend(names),
                Some(_) => {}
                None => offers.push(Offer {
                    action: binding.action,
                    title: binding.title,
                    words: binding.help,
                    keys: names.collect(),
                }),
            }
        }
    }
    offers
}

/// A line of the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What is done.
    pub action: Action,
    /// In a word, where it has one.
    pub title: &'static str,
    /// In words.
    pub words: &'static str,
    /// By which keys.
    pub keys: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const CONTEXTS: &[Context] = ALL;

    #[test]
    fn no_key_means_two_things() {
        for &context in CONTEXTS {
            let mut seen = HashMap::new();
            for binding in TABLE.iter().filter(|b| b.when.contains(&context)) {
                for &key in binding.keys {
                    let before = seen.insert(key, binding.action);
                    assert_eq!(before, None, "{} in {context:?}", key.name());
                }
            }
        }
    }

    #[test]
    fn every_binding_is_reachable_and_explained() {
        for binding in TABLE {
            assert!(
                !binding.keys.is_empty() && !binding.when.is_empty() && !binding.help.is_empty()
            );
            for &context in binding.when {
                for &key in binding.keys {
                    assert_eq!(find(context, key), Some(binding.action));
                }
            }
        }
    }

    #[test]
    fn no_printable_key_is_taken_from_a_typist() {
        for context in [
            Context::Edit,
            Context::Name,
            Context::Palette,
            Context::Find,
        ] {
            for symbol in ' '..='~' {
                assert_eq!(find(context, ch(symbol)), None, "{symbol} in {context:?}");
            }
        }
    }

    #[test]
    fn help_and_quit_work_everywhere_outside_questions() {
        for context in [Context::Browse, Context::Edit] {
            assert_eq!(find(context, key(KeyCode::F(1))), Some(Action::Help));
            assert_eq!(find(context, ctrl('q')), Some(Action::Quit));
        }
    }

    #[test]
    fn every_context_has_a_way_out() {
        for &context in CONTEXTS {
            let out = find(context, key(KeyCode::Esc)).or(find(context, ctrl('q')));
            assert!(out.is_some(), "{context:?}");
        }
    }

    #[test]
    fn shift_belongs_to_the_character() {
        let event = KeyEvent::new(KeyCode::Char('N'), KeyModifiers::SHIFT);
        assert_eq!(
            find(Context::Browse, Key::of(&event)),
            Some(Action::PreviousFlag)
        );
        let event = KeyEvent::new(
            KeyCode::Char('Q'),
            KeyModifiers::CONTROL | KeyModifiers::SHIFT,
        );
        assert_eq!(find(Context::Edit, Key::of(&event)), Some(Action::Quit));
    }
}
