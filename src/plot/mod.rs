//! Series to characters.
//!
//! ```text
//! Figure (series, axes, marks) ──┐
//!             │                  ├─> Raster (dots and their owners) ──> Canvas (styled characters)
//!             │ Scene (points, ──┘
//!             │        lines, trail)
//!             └─> svg (vectors, for a paper)
//! ```
//!
//! The workbench copies a [`Canvas`] into its screen buffer, the commands print
//! [`Canvas::to_text`]: both show the same picture, and nothing here knows that there is a
//! terminal. What every picture keeps:
//!
//! - A dot stands where its number is. A tick, a mark, the cursor and the curve share one map from
//!   numbers to dots ([`Frame`]), so a tick's column is the column of the data at that value.
//! - No sample is lost: of all samples in one dot column the lowest and the highest are drawn,
//!   however many there are.
//! - What is not a number is a gap, never a point; on a logarithmic axis so is zero and what is below.
//! - Series are told apart without colour: by line pattern, and by letter in plain ASCII.
//! - Any size and any number is drawn as well as it can be; nothing fails.

mod bar;
mod canvas;
mod charset;
mod figure;
mod frame;
mod legend;
mod picture;
mod range;
mod raster;
mod ruler;
mod scale;
mod scene;
mod sign;
mod svg;
mod ticks;

pub use bar::bar;
pub use canvas::{Canvas, Cell, CellStyle};
pub use charset::{Charset, QUADRANTS, ROLES};
pub use figure::{Aspect, Axis, Figure, LegendPlace, Look, Mark, MarkedPoint, Series};
pub use frame::Frame;
pub use legend::{LegendEntry, legend};
pub use picture::{draw, extent};
pub use range::Range;
pub use scale::Scale;
pub use scene::{Polyline, Scene, ScenePoint, draw_scene};
pub use sign::{MarkKind, PointKind};
pub use svg::{escaped, svg};
pub use ticks::{Step, Ticks, number, trimmed};

#[cfg(test)]
mod tests;
