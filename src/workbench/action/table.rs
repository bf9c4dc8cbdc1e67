//! The table: an action, its keys, a word and a sentence, when.

use crossterm::event::{KeyCode, KeyModifiers};

use super::context::{Trait, all, count, having};
use super::key::{alt, ch, ctrl, key, with};
use super::{Action, Binding, Context, Key};

const PROBE: &[Context] = &[Context::Probe];
const BROWSE: &[Context] = &[Context::Browse];
const EDIT: &[Context] = &[Context::Edit];
const PANES: &[Context] = &[Context::Browse, Context::Edit];
const SLIDERS: &[Context] = &[Context::Parameters];
const EQUILIBRIA: &[Context] = &[Context::Equilibria];
const RANGE: &[Context] = &[Context::Range];
const REPORT: &[Context] = &[Context::Report];
const ALL: &[Context] = &all();
/// Over the panes, where keys are no text and no question is answered.
const LOOKING: &[Context] = &[
    Context::Systems,
    Context::Columns,
    Context::Parameters,
    Context::Problems,
    Context::Methods,
    Context::Equilibria,
    Context::Report,
    Context::Range,
];

/// The contexts that have a property.
macro_rules! having {
    ($wanted:ident) => {
        &having::<{ count(Trait::$wanted) }>(Trait::$wanted)
    };
}

const CHOOSING: &[Context] = having!(Choosing);
const READING: &[Context] = having!(Reading);
const PAGED: &[Context] = having!(Paged);
const HALVED: &[Context] = having!(Halved);
const ENDED: &[Context] = having!(Ended);
const TYPING: &[Context] = having!(Typing);
const LINE: &[Context] = having!(Line);
const VIEWS: &[Context] = having!(View);
const QUESTIONS: &[Context] = having!(Question);
const LEFT: &[Context] = having!(Left);

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
    bind(Action::Complete, &[key(KeyCode::Tab)], ("complete", "complete the key or name before the cursor, again: the next one; else two blanks"), EDIT),
    bind(Action::Play, &[ch(' ')], ("play", "play or pause the motion"), BROWSE),
    bind(Action::StepBack, &[key(KeyCode::Left), ch('h')], ("step", "one step of the motion back"), BROWSE),
    bind(Action::StepForward, &[key(KeyCode::Right), ch('l')], ("step", "one step of the motion on"), BROWSE),
    bind(Action::LeapBack, &[with(KeyCode::Left, SHIFT), ch('H')], ("", "twenty steps of the motion back"), BROWSE),
    bind(Action::LeapForward, &[with(KeyCode::Right, SHIFT), ch('L')], ("", "twenty steps of the motion on"), BROWSE),
    bind(Action::NextFlag, &[ch('n')], ("failure", "go to the next failure of the theorem on the way"), BROWSE),
    bind(Action::PreviousFlag, &[ch('N')], ("", "go to the failure of the theorem before"), BROWSE),
    bind(Action::ToStart, &[key(KeyCode::Home), ch('0')], ("", "go to the start of the motion"), BROWSE),
    bind(Action::ToEnd, &[key(KeyCode::End), ch('$')], ("", "go to the end of the motion"), BROWSE),
    bind(Action::Slower, &[ch('-')], ("", "play the motion half as fast"), BROWSE),
    bind(Action::Faster, &[ch('+'), ch('=')], ("", "play the motion twice as fast"), BROWSE),
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
    bind(Action::Closer, &[ch(']')], ("", "zoom in: less of the plot, larger, round the time shown"), BROWSE),
    bind(Action::Farther, &[ch('[')], ("", "zoom out: more of the plot"), BROWSE),
    bind(Action::Before, &[ch('<')], ("", "see what is before in the plot (↑ ↓ PgUp PgDn: up and down)"), BROWSE),
    bind(Action::After, &[ch('>')], ("", "see what comes after in the plot"), BROWSE),
    bind(Action::Whole, &[ch('w')], ("", "see the whole of the plot"), BROWSE),
    bind(Action::LogAxes, &[ch('S')], ("", "logarithmic axes of the plot: y, x, both, none"), BROWSE),
    bind(Action::Drift, &[ch('d')], ("", "curves as their change from the start, or as they are; on a map level lines of the potential, or none"), BROWSE),
    bind(Action::Levels, &[ch('K')], ("", "a map with level lines of an expression that you type"), BROWSE),
    bind(Action::Aspect, &[ch('a')], ("", "one unit for both axes of the plot, or each its own"), BROWSE),
    bind(Action::Characters, &[ch('b')], ("", "draw plots with braille, blocks, or plain ASCII"), BROWSE),
    bind(Action::CopyPlot, &[ch('P')], ("", "copy the plot to the clipboard, as text"), BROWSE),
    bind(Action::CopyRow, &[ch('R')], ("", "copy the numbers of the plot at the sample next to the time shown"), BROWSE),
    bind(Action::Export, &[ch('E')], ("", "write what is plotted to a file: SVG, CSV, JSON or text"), BROWSE),
    bind(Action::Screen, &[ch('I')], ("", "write the screen to a file as an image: SVG, or text"), BROWSE),
    bind(Action::NextForm, &[ch('f')], ("", "the next form of the equations"), BROWSE),
    bind(Action::PreviousForm, &[ch('F')], ("", "the form of the equations before"), BROWSE),
    bind(Action::CopyText, &[ch('C')], ("", "copy the equations shown to the clipboard, as text that reads back"), BROWSE),
    bind(Action::CopyLatex, &[ch('T')], ("", "copy the equations shown as LaTeX"), BROWSE),
    bind(Action::Parameters, &[ch('p')], ("parameters", "the parameters as sliders, and the levels of constraints to free; motion and verdict follow"), BROWSE),
    bind(Action::Methods, &[ch('D')], ("", "how far the methods differ, what each costs, and the facts known"), BROWSE),
    bind(Action::Equilibria, &[ch('B')], ("equilibria", "the equilibria: where it can rest, stable or not, and how it swings there"), BROWSE),
    bind(Action::Range, &[ch('J')], ("range", "a parameter over a range: equilibria and their stability, failures, or a number of each motion"), &[Context::Browse, Context::Parameters]),
    bind(Action::Report, &[ch('W')], ("handout", "in writing: the handout, the inverse functions, the atlas, a program in Python, the variation of the path, the paths beside the motion, the equations at rest, a certificate"), BROWSE),
    bind(Action::Certificate, &[ch('Z')], ("", "what is certified, with evidence that others can check: E writes it, tools/certify.py verifies it"), BROWSE),
    bind(Action::Problems, &[ch('!')], ("problems", "all errors, failures and notes; Enter goes to the place"), BROWSE),
    bind(Action::Less, &[key(KeyCode::Left), ch('h')], ("change", "less of the chosen parameter"), SLIDERS),
    bind(Action::More, &[key(KeyCode::Right), ch('l')], ("change", "more of it"), SLIDERS),
    bind(Action::LessFine, &[with(KeyCode::Left, SHIFT), ch('H')], ("", "a little less"), SLIDERS),
    bind(Action::MoreFine, &[with(KeyCode::Right, SHIFT), ch('L')], ("", "a little more"), SLIDERS),
    bind(Action::WriteValue, &[key(KeyCode::Enter)], ("write", "write the value into the text; where it is that of the text, type one"), SLIDERS),
    bind(Action::ResetValue, &[ch('u')], ("reset", "take the change back: what the text says again"), SLIDERS),
    bind(Action::FreeParameter, &[ch('f')], ("free", "make it, or the level of the constraint, a coordinate: its multiplier is the force that holds it"), SLIDERS),
    bind(Action::Accept, &[key(KeyCode::Enter), ch('l')], ("go there", "go to the place or time of the problem"), &[Context::Problems]),
    bind(Action::Accept, &[key(KeyCode::Enter)], ("go there", "put the probe and the picture there"), EQUILIBRIA),
    bind(Action::PreviousMode, &[key(KeyCode::Left), ch('h')], ("mode", "the mode of oscillation before"), EQUILIBRIA),
    bind(Action::NextMode, &[key(KeyCode::Right), ch('l')], ("mode", "the next mode of oscillation"), EQUILIBRIA),
    bind(Action::Play, &[ch(' ')], ("swing or rest", "let the mode swing, or hold it"), EQUILIBRIA),
    bind(Action::StepBack, &[key(KeyCode::Left), ch('h')], ("point", "the point to the left"), RANGE),
    bind(Action::StepForward, &[key(KeyCode::Right), ch('l')], ("point", "the point to the right"), RANGE),
    bind(Action::LeapBack, &[with(KeyCode::Left, SHIFT), ch('H')], ("", "far to the left"), RANGE),
    bind(Action::LeapForward, &[with(KeyCode::Right, SHIFT), ch('L')], ("", "far to the right"), RANGE),
    bind(Action::Up, &[key(KeyCode::Up), ch('k')], ("branch", "the point above"), RANGE),
    bind(Action::Down, &[key(KeyCode::Down), ch('j')], ("branch", "the point below"), RANGE),
    bind(Action::NextFlag, &[ch('n')], ("", "the next bifurcation, after the last the first"), RANGE),
    bind(Action::PreviousFlag, &[ch('N')], ("", "the bifurcation before"), RANGE),
    bind(Action::Accept, &[key(KeyCode::Enter)], ("set", "set the parameter to this value"), RANGE),
    bind(Action::NextForm, &[ch('f'), key(KeyCode::Tab)], ("what", "equilibria, failures, or of each motion period, greatest, least, mean, last value"), RANGE),
    bind(Action::NextY, &[ch('y')], ("of what", "the next coordinate"), RANGE),
    bind(Action::PreviousY, &[ch('Y')], ("", "the coordinate before"), RANGE),
    bind(Action::Parameters, &[ch('p')], ("parameter", "the next parameter"), RANGE),
    bind(Action::Export, &[ch('E')], ("write", "write what is found to a file: CSV, JSON, SVG or text"), RANGE),
    bind(Action::Closer, &[ch(']')], ("range", "half of the range, round the point"), RANGE),
    bind(Action::Farther, &[ch('[')], ("range", "twice the range"), RANGE),
    bind(Action::Find, &[ch('e'), ch('/')], ("type it", "type parameter, range and what is looked at, as in w=0:6 period(x)"), RANGE),
    bind(Action::NextForm, &[ch('f'), key(KeyCode::Tab)], ("page", "the next page: handout, inverse functions, atlas, program, variation, paths beside the motion, at rest, certificate"), REPORT),
    bind(Action::PreviousForm, &[ch('F'), key(KeyCode::BackTab)], ("page", "the page before"), REPORT),
    bind(Action::CopyText, &[ch('c'), ch('C')], ("copy", "copy all of it to the clipboard, as the command writes it"), REPORT),
    bind(Action::CopyLatex, &[ch('T')], ("LaTeX", "copy it as LaTeX: handout, variation, at rest"), REPORT),
    bind(Action::Export, &[ch('E')], ("write", "write it to a file"), REPORT),
    bind(Action::Find, &[ch('/')], ("find", "look for a piece of it"), REPORT),
    bind(Action::FindNext, &[ch('n'), key(KeyCode::F(3))], ("", "go to the next place of it"), REPORT),
    bind(Action::FindPrevious, &[ch('N'), with(KeyCode::F(3), SHIFT)], ("", "go to the place before"), REPORT),
    bind(Action::AllChoices, &[ch('a')], ("", "the atlas of all choices of dependent coordinates, or of the one in force; beside the motion: another variation"), REPORT),
    bind(Action::Left, &[key(KeyCode::Left), ch('h')], ("", "to the left, where lines are longer than the screen; beside the motion: a smaller variation"), REPORT),
    bind(Action::Right, &[key(KeyCode::Right), ch('l')], ("", "to the right; a larger variation"), REPORT),
    bind(Action::Open, &[ch('o')], ("open", "open another system"), BROWSE),
    bind(Action::NextY, &[ch('y')], ("axes", "plot the next column"), BROWSE),
    bind(Action::PreviousY, &[ch('Y')], ("", "plot the column before"), BROWSE),
    bind(Action::NextX, &[ch('x')], ("axes", "plot against the next column"), BROWSE),
    bind(Action::PreviousX, &[ch('X')], ("", "plot against the column before"), BROWSE),
    bind(Action::Columns, &[ch('c')], ("columns", "choose what is plotted against what"), BROWSE),
    bind(Action::New, &[ch('A')], ("", "begin a new system from a template"), BROWSE),
    bind(Action::External, &[ch('V')], ("", "edit the text with $VISUAL or $EDITOR"), BROWSE),
    bind(Action::Open1, &[ch('1')], ("", "open the first built-in system"), BROWSE),
    bind(Action::Open2, &[ch('2')], ("", "open the second built-in system"), BROWSE),
    bind(Action::Open3, &[ch('3')], ("", "open the third built-in system"), BROWSE),
    bind(Action::Save, &[ctrl('s')], ("save", "save the text to its file"), PANES),
    bind(Action::Save, &[ch('s')], ("", "save the text to its file"), BROWSE),
    bind(Action::SaveAs, &[ch('O')], ("", "save the text as another file, under another name"), BROWSE),
    bind(Action::Reload, &[ch('r')], ("", "read the file again, as it is on the disk"), BROWSE),
    bind(Action::Undo, &[alt('u'), ctrl('7')], ("undo", "take back the last change of the text"), EDIT),
    bind(Action::Undo, &[ch('u')], ("", "take back the last change of the text"), BROWSE),
    bind(Action::Redo, &[ctrl('r')], ("redo", "make the change again that was taken back"), PANES),
    bind(Action::Redo, &[ch('U')], ("", "make the change again that was taken back"), BROWSE),
    bind(Action::Find, &[ch('/')], ("", "look for a piece of the text"), BROWSE),
    bind(Action::Find, &[ctrl('g')], ("find", "look for a piece of the text"), EDIT),
    bind(Action::FindNext, &[key(KeyCode::F(3))], ("", "go to the next place of what was looked for"), PANES),
    bind(Action::FindPrevious, &[with(KeyCode::F(3), SHIFT)], ("", "go to the place before of what was looked for"), PANES),
    bind(Action::Accept, &[key(KeyCode::Enter)], ("stay there", "stay at the place that was found"), &[Context::Find]),
    bind(Action::ScrollDown, &[key(KeyCode::Down), ctrl('n'), key(KeyCode::F(3))], ("next", "the next place"), &[Context::Find]),
    bind(Action::ScrollUp, &[key(KeyCode::Up), ctrl('p'), with(KeyCode::F(3), SHIFT)], ("before", "the place before"), &[Context::Find]),
    bind(Action::Close, &[key(KeyCode::Esc), ctrl('c')], ("back", "back to where the search began"), &[Context::Find]),

    bind(Action::Accept, &[key(KeyCode::Enter), ch('l')], ("open", "open the chosen system"), &[Context::Systems]),
    bind(Action::Find, &[ch('/')], ("find", "look for a system by its name or title"), &[Context::Systems]),
    bind(Action::Find, &[ch('/')], ("find", "look for a key by what it does"), &[Context::Help]),
    bind(Action::Accept, &[key(KeyCode::Enter)], ("take it", "open the chosen system; of the keys, look at what was found"), &[Context::Filter]),
    bind(Action::Close, &[key(KeyCode::Esc), ctrl('c')], ("all", "back to all systems, or to all keys"), &[Context::Filter]),
    bind(Action::ToggleY, &[ch(' '), ch('y')], ("plot or not", "plot the chosen column, or not"), &[Context::Columns]),
    bind(Action::OnlyY, &[ch('o')], ("only this", "plot the chosen column alone"), &[Context::Columns]),
    bind(Action::SetX, &[ch('x')], ("x axis", "plot against the chosen column"), &[Context::Columns]),
    bind(Action::Accept, &[key(KeyCode::Enter)], ("done", "back to the panes"), &[Context::Columns]),
    bind(Action::Accept, &[key(KeyCode::Enter)], ("take it", "take the name or the expression typed"), &[Context::Name]),
    bind(Action::SaveAndLeave, &[ch('s'), ctrl('s')], ("save", "save the text, then go on"), &[Context::Leave]),
    bind(Action::Discard, &[ch('d')], ("discard", "go on without the changes"), &[Context::Leave]),
    bind(Action::Overwrite, &[ch('o')], ("overwrite", "replace what the file holds"), &[Context::Overwrite]),
    bind(Action::Accept, &[key(KeyCode::Enter)], ("do it", "do what is chosen"), &[Context::Palette]),
    bind(Action::ScrollUp, &[key(KeyCode::Up), ctrl('p')], ("choose", "the line before"), &[Context::Palette, Context::Filter]),
    bind(Action::ScrollDown, &[key(KeyCode::Down), ctrl('n')], ("choose", "the next line"), &[Context::Palette, Context::Filter]),
    bind(Action::Restore, &[ch('r')], ("restore", "read back the text that was kept"), &[Context::Recover]),
    bind(Action::Forget, &[ch('d')], ("discard", "give it up"), &[Context::Recover]),
    bind(Action::Close, &[key(KeyCode::Esc), ctrl('c')], ("later", "keep it, and ask again at the next start"), &[Context::Recover]),
    bind(Action::ReadDisk, &[ch('r')], ("read it", "show what the file holds now; undo brings the text back"), &[Context::Disk]),
    bind(Action::KeepMine, &[ch('k')], ("keep mine", "go on with the text as it is; saving replaces the file"), &[Context::Disk]),
    bind(Action::Close, &[key(KeyCode::Esc), ctrl('c')], ("later", "decide when the text is saved"), &[Context::Disk]),
    bind(Action::Close, &[key(KeyCode::Esc), ctrl('c')], ("cancel", "back, and nothing is done"), QUESTIONS),
    bind(Action::Close, &[key(KeyCode::Esc), ctrl('c'), ch('q')], ("back", "back to the panes"), VIEWS),
    bind(Action::Close, &[key(KeyCode::Esc), ctrl('c'), ch('q'), ch('?'), key(KeyCode::F(1)), key(KeyCode::Enter)], ("back", "back to the panes"), &[Context::Help]),

    bind(Action::ScrollUp, &[key(KeyCode::Up), ch('k')], ("choose", "the line before"), CHOOSING),
    bind(Action::ScrollDown, &[key(KeyCode::Down), ch('j')], ("choose", "the next line"), CHOOSING),
    bind(Action::New, &[ch('n'), ch('A')], ("new", "begin a new system from a template"), &[Context::Systems]),
    bind(Action::ScrollUp, &[key(KeyCode::Up), ch('k')], ("scroll", "a line up"), READING),
    bind(Action::ScrollDown, &[key(KeyCode::Down), ch('j')], ("scroll", "a line down"), READING),
    bind(Action::PageUp, &[key(KeyCode::PageUp), ctrl('b')], ("", "a page up"), PAGED),
    bind(Action::PageDown, &[key(KeyCode::PageDown), ctrl('f')], ("", "a page down"), PAGED),
    bind(Action::HalfUp, &[ctrl('u')], ("", "half a page up"), HALVED),
    bind(Action::HalfDown, &[ctrl('d')], ("", "half a page down"), HALVED),
    bind(Action::Top, &[ch('g'), with(KeyCode::Home, CTRL)], ("", "to the first line of the pane"), BROWSE),
    bind(Action::Bottom, &[ch('G'), with(KeyCode::End, CTRL)], ("", "to the last line of the pane"), BROWSE),
    bind(Action::Top, &[ch('g'), key(KeyCode::Home)], ("", "to the first line"), ENDED),
    bind(Action::Bottom, &[ch('G'), key(KeyCode::End)], ("", "to the last line"), ENDED),

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
    bind(Action::DeleteWord, &[ctrl('w')], ("", "delete the word before"), LINE),
    bind(Action::Delete, &[key(KeyCode::Delete), ctrl('d')], ("", "delete the character here"), TYPING),
    bind(Action::DeleteWord, &[ctrl('w')], ("", "delete the word before"), EDIT),
    bind(Action::DeleteToEnd, &[ctrl('k')], ("", "delete to the end of the line"), TYPING),
    bind(Action::Enter, &[key(KeyCode::Enter)], ("", "begin a new line, indented like this one"), EDIT),
    bind(Action::CompleteBack, &[key(KeyCode::BackTab)], ("", "the completion before"), EDIT),

    bind(Action::Redraw, &[ctrl('l')], ("", "draw the screen anew"), ALL),
    bind(Action::Theme, &[ch('t')], ("", "another theme: dark, light, high contrast, without colour"), BROWSE),
    bind(Action::Mouse, &[ch('M')], ("", "the mouse for holonom, or for the terminal to select text"), BROWSE),
    bind(Action::Suspend, &[ctrl('z')], ("", "stop the program; `fg` in the shell goes on"), ALL),
    bind(Action::Quit, &[ch('q'), ctrl('q'), ctrl('c')], ("quit", "leave the program"), BROWSE),
    bind(Action::Quit, &[ctrl('q')], ("quit", "leave the program"), LEFT),
    bind(Action::Palette, &[ch(':'), ctrl('p')], ("commands", "look for an action by its words, and do it"), &[Context::Browse, Context::Probe]),
    bind(Action::Palette, &[ctrl('p')], ("commands", "look for an action by its words, and do it"), EDIT),
    bind(Action::Help, &[ch('?'), key(KeyCode::F(1))], ("", "what the keys do"), LOOKING),
    bind(Action::Help, &[ch('?'), key(KeyCode::F(1))], ("keys", "what the keys do"), &[Context::Browse, Context::Probe]),
    bind(Action::Help, &[key(KeyCode::F(1))], ("keys", "what the keys do"), EDIT),
    bind(Action::Help, &[key(KeyCode::F(1))], ("", "what the keys do"), LINE),
];
