//! Where the panes are, by the size of the terminal.
//!
//! ```text
//! wide and high          80 x 24                narrow
//! header                 header                 header
//! verdict                verdict                verdict
//! System   | Theorem     System   | Theorem     the pane that has the keys
//! Picture  | Equations
//! Plot                   Plot                   Plot, where there is height for it
//! footer                 footer                 footer
//! ```

use ratatui::layout::Rect;
use ratatui::widgets::Block;

/// The largest screen that is drawn, columns and rows: a larger terminal, which only a program can be, has an empty
/// rest, and memory has room for the picture.
const LARGEST: (u16, u16) = (1000, 500);

/// The size of what is drawn on a terminal of this size.
pub fn bounded((columns, rows): (u16, u16)) -> (u16, u16) {
    (columns.min(LARGEST.0), rows.min(LARGEST.1))
}

/// The least size that shows a pane, columns and rows.
pub const LEAST: (u16, u16) = (40, 12);
/// From here on two panes stand side by side.
const BESIDE: (u16, u16) = (76, 20);
/// From here on there are five.
const FIVE: (u16, u16) = (110, 34);
/// Rows below the verdict from which on two panes stand one above the other.
const STACKED: u16 = 16;
/// Rows of a plot worth looking at, with its border.
const PLOT_ROWS: u16 = 9;

/// A part of the screen with a border and a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pane {
    /// The text of the system.
    #[default]
    System,
    /// The Inverse Function Theorem at the time shown.
    Theorem,
    /// The system in its plane.
    Picture,
    /// The equations of motion.
    Equations,
    /// Curves.
    Plot,
}

impl Pane {
    /// All of them, in the order of Tab.
    pub const ALL: [Self; 5] = [
        Self::System,
        Self::Theorem,
        Self::Picture,
        Self::Equations,
        Self::Plot,
    ];

    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::Theorem => "Theorem",
            Self::Picture => "Picture",
            Self::Equations => "Equations",
            Self::Plot => "Plot",
        }
    }

    /// The pane after this one, or before it.
    #[must_use]
    pub fn neighbour(self, after: bool) -> Self {
        let at = Self::ALL.iter().position(|&pane| pane == self).unwrap_or(0);
        let count = Self::ALL.len();
        Self::ALL[(at + if after { 1 } else { count - 1 }) % count]
    }
}

/// Places of everything on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Program, file, time.
    pub header: Rect,
    /// The verdict.
    pub verdict: Rect,
    /// The panes that there is room for.
    pub panes: Vec<(Pane, Rect)>,
    /// What can be done now.
    pub footer: Rect,
    /// The terminal is too small for a pane.
    pub too_small: bool,
}

impl Layout {
    /// The layout of a terminal of this size.
    pub fn new((width, height): (u16, u16), focus: Pane, zoom: bool) -> Self {
        if width < LEAST.0 || height < LEAST.1 {
            return Self {
                too_small: true,
                ..Self::default()
            };
        }
        let row = |y| Rect::new(0, y, width, 1);
        let body = Rect::new(0, 2, width, height - 3);
        let panes = if zoom {
            vec![(focus, body)]
        } else if width >= FIVE.0 && height >= FIVE.1 {
            five(body)
        } else if width >= BESIDE.0 && height >= BESIDE.1 {
            three(body, focus)
        } else {
            narrow(body, focus)
        };
        Self {
            header: row(0),
            verdict: row(1),
            panes,
            footer: row(height - 1),
            too_small: false,
        }
    }

    /// The pane, with its border.
    pub fn pane(&self, pane: Pane) -> Option<Rect> {
        self.panes
            .iter()
            .find(|(p, _)| *p == pane)
            .map(|&(_, rect)| rect)
    }

    /// What is inside its border.
    pub fn inner(&self, pane: Pane) -> Option<Rect> {
        self.pane(pane).map(inside)
    }
}

/// What is inside a border.
pub fn inside(rect: Rect) -> Rect {
    Block::bordered().inner(rect)
}

/// The upper `rows` of a rectangle and the rest.
pub(super) fn upper(rect: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(rect.height);
    let rest = Rect::new(rect.x, rect.y + rows, rect.width, rect.height - rows);
    (Rect::new(rect.x, rect.y, rect.width, rows), rest)
}

/// The left `columns` of a rectangle and the rest.
pub(super) fn left(rect: Rect, columns: u16) -> (Rect, Rect) {
    let columns = columns.min(rect.width);
    let rest = Rect::new(rect.x + columns, rect.y, rect.width - columns, rect.height);
    (Rect::new(rect.x, rect.y, columns, rect.height), rest)
}

fn five(body: Rect) -> Vec<(Pane, Rect)> {
    let above = body.height * 2 / 5;
    let middle = body.height * 3 / 10;
    let (top, rest) = upper(body, above.max(13));
    let (middle, plot) = upper(rest, middle.max(10));
    let (system, theorem) = left(top, body.width / 2);
    let (picture, equations) = left(middle, body.width / 2);
    vec![
        (Pane::System, system),
        (Pane::Theorem, theorem),
        (Pane::Picture, picture),
        (Pane::Equations, equations),
        (Pane::Plot, plot),
    ]
}

/// Pictures and equations take the place of the Theorem pane while they have the keys.
fn three(body: Rect, focus: Pane) -> Vec<(Pane, Rect)> {
    let below = (body.height * 2 / 5).max(PLOT_ROWS);
    let (top, plot) = upper(body, body.height - below);
    let (system, theorem) = left(top, body.width * 9 / 20);
    let beside = match focus {
        Pane::Picture | Pane::Equations => focus,
        Pane::System | Pane::Theorem | Pane::Plot => Pane::Theorem,
    };
    vec![
        (Pane::System, system),
        (beside, theorem),
        (Pane::Plot, plot),
    ]
}

fn narrow(body: Rect, focus: Pane) -> Vec<(Pane, Rect)> {
    if body.height < STACKED {
        return vec![(focus, body)];
    }
    let below = (body.height * 2 / 5).max(STACKED / 2);
    let (top, plot) = upper(body, body.height - below);
    let above = match focus {
        Pane::Plot => Pane::Theorem,
        other => other,
    };
    vec![(above, top), (Pane::Plot, plot)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_fill_the_screen_and_never_overlap() {
        for width in (0..=200).step_by(3) {
            for height in 0..=60 {
                for focus in Pane::ALL {
                    for zoom in [false, true] {
                        let layout = Layout::new((width, height), focus, zoom);
                        if layout.too_small {
                            continue;
                        }
                        let area: u32 = layout.panes.iter().map(|(_, rect)| rect.area()).sum();
                        assert_eq!(area, u32::from(width) * u32::from(height - 3));
                        assert!(layout.pane(focus).is_some());
                        assert!(layout.panes.iter().all(|(_, rect)| rect.height >= 7));
                    }
                }
            }
        }
    }

    #[test]
    fn two_panes_fit_on_60_by_20() {
        for focus in Pane::ALL {
            let layout = Layout::new((60, 20), focus, false);
            assert!(layout.panes.len() == 2 && layout.pane(focus).is_some());
        }
    }

    #[test]
    fn tab_goes_round() {
        for pane in Pane::ALL {
            assert_eq!(pane.neighbour(true).neighbour(false), pane);
        }
    }
}
