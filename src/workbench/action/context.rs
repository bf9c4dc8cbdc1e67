//! What the keys mean at the moment, and what such moments have in common: one table of properties.

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
    /// Typing what the lines of a list have to contain.
    Filter,
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
    /// Looking at a parameter over a range.
    Range,
    /// Reading what is written about the system.
    Report,
    /// Typing a name or an expression.
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

/// A property of contexts, by which keys are given to all that have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// A line of a list is chosen.
    Choosing,
    /// A text is read: lines are scrolled.
    Reading,
    /// It may be longer than a screen, and is gone through page by page.
    Paged,
    /// And by half pages.
    Halved,
    /// It has a first line and a last one, besides the panes.
    Ended,
    /// Characters are text.
    Typing,
    /// One line is typed.
    Line,
    /// It lies over the panes, and what is there is looked at: back with the keys that leave things.
    View,
    /// It lies over the panes, and what is to be done is asked: back is to do nothing.
    Question,
    /// The program can be left from there.
    Left,
}

use Trait::{Choosing, Ended, Halved, Left, Line, Paged, Question, Reading, Typing, View};

/// A context: its heading in the help, its properties.
type Row = (Context, &'static str, &'static [Trait]);

/// The contexts, in the order of the help.
#[rustfmt::skip] // a table
const CONTEXTS: [Row; 20] = [
    (Context::Browse, "In the panes", &[Reading, Paged, Halved]),
    (Context::Probe, "Moving the probe", &[]),
    (Context::Edit, "Editing the system", &[Typing, Paged, Left]),
    (Context::Find, "Searching the text", &[Typing, Line]),
    (Context::Systems, "Choosing a system", &[Choosing, Paged, Halved, Ended, Question, Left]),
    (Context::Filter, "Searching for a system or a key", &[Typing, Line, Paged, Left]),
    (Context::Columns, "Choosing columns", &[Choosing, Paged, Halved, Ended, Question, Left]),
    (Context::Parameters, "Parameters", &[Choosing, Paged, Halved, Ended, View]),
    (Context::Problems, "Problems", &[Choosing, Paged, Halved, Ended, View]),
    (Context::Methods, "Methods", &[Reading, Paged, Halved, Ended, View]),
    (Context::Equilibria, "Equilibria", &[Choosing, Paged, Halved, Ended, View]),
    (Context::Range, "Range", &[View]),
    (Context::Report, "Written report: handout, inverse functions, atlas, program", &[Reading, Paged, Halved, Ended, View]),
    (Context::Name, "Typing a name or an expression", &[Typing, Line, Question, Left]),
    (Context::Leave, "Unsaved changes", &[Question]),
    (Context::Overwrite, "The file exists", &[Question]),
    (Context::Palette, "Finding a command", &[Typing, Line, Paged, Question, Left]),
    (Context::Recover, "Unsaved text of an earlier session", &[Left]),
    (Context::Disk, "File changed by another program", &[]),
    (Context::Help, "Help", &[Reading, Paged, Halved, Ended, Left]),
];

/// The contexts with their headings, in the order of the help.
pub fn headings() -> impl Iterator<Item = (Context, &'static str)> {
    CONTEXTS
        .iter()
        .map(|(context, heading, _)| (*context, *heading))
}

/// When keys mean something.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// In these contexts.
    In(&'static [Context]),
    /// In those that have this property.
    Having(Trait),
    /// In all of them.
    Always,
}

impl When {
    /// Whether they mean it in this context.
    pub fn holds(self, context: Context) -> bool {
        let has = |row: &Row, wanted| row.0 == context && row.2.contains(&wanted);
        match self {
            Self::In(list) => list.contains(&context),
            Self::Having(wanted) => CONTEXTS.iter().any(|row| has(row, wanted)),
            Self::Always => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_context_stands_in_the_table_once() {
        let list = CONTEXTS.map(|row| row.0);
        for (at, context) in list.iter().enumerate() {
            assert!(!list[..at].contains(context), "{context:?}");
        }
        // the last of the enumeration
        assert_eq!(list.len(), Context::Find as usize + 1);
    }

    #[test]
    fn what_is_read_or_chosen_from_has_pages() {
        for row in &CONTEXTS {
            let has = |wanted| row.2.contains(&wanted);
            let lines = has(Choosing) || has(Reading);
            assert!(!(has(Choosing) && has(Reading)), "{row:?}");
            assert!(!lines || has(Paged) && has(Halved), "{row:?}");
            assert!(!has(Line) || has(Typing), "{row:?}");
        }
    }
}
