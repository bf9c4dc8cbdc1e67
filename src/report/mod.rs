//! What both faces say: the answers of [`crate::analysis`] as text for people, JSON, CSV and LaTeX.
//!
//! JSON names are those of the interface and do not change. Text puts the verdict first, lines up
//! its numbers, keeps to a width and stays in ASCII, so that it can be piped anywhere; a derivation may
//! be set as on paper instead ([`Layout`]). A derivation is also a program in Python or C.

mod account;
mod align;
mod atlas;
mod branches;
mod code;
mod continuation;
mod csv;
mod design;
mod domain;
mod explain;
mod failure;
mod figure;
mod forms;
mod formula;
mod json;
mod latex;
mod map;
mod notes;
mod redundancy;
mod refusal;
mod statics;
mod sweep;
mod text;
mod theory;
mod vary;
mod velocity;
mod whole;
pub mod zero;

pub use atlas::{atlas_json, atlas_text};
pub use branches::{branches_json, branches_text};
pub use code::derive_code;
pub use continuation::{
    continuation_figures, continuation_json, continuation_notes, continuation_table,
    continuation_text, unfollowed_words, usual_column,
};
pub use csv::{write_csv, write_csv_header, write_csv_rows};
pub use design::{design_figure, design_json, design_text};
pub use explain::{Handout, Route};
pub use failure::{failure_gist, failure_sentence, turn_brief};
pub use figure::{Drift, FlagWords, PlotStyle, figure, plots_json};
pub use forms::{forms, functions, summary};
pub use formula::{Form, Formula, Grid, Part, condition_text};
pub use json::{
    check_json, compare_json, derive_json, inverse_json, list_json, show_json, verify_json,
    write_json, write_motion_json,
};
pub use latex::derive_latex;
pub use map::{Components, LEVEL, MapStyle, TOUCHING, map_figure, map_json, map_text};
pub use notes::{Told, analysis_notes, derived_notes, holonomic_notes, motion_notes};
pub use refusal::{refusal_advice, refusal_in_file, refusal_sentence};
pub use statics::{
    assessment_word, criterion_words, equilibria_json, form_words, kind_word, note_words,
    reason_words,
};
pub use sweep::{
    blank_words, sweep_columns, sweep_figures, sweep_reason, unreduced_words, write_sweep_csv,
    write_sweep_json,
};
pub use text::{
    Depth, Layout, check_text, compare_text, count, derive_text, derive_text_in_full,
    equilibria_text, exact, flag_lines, inverse_text, joined, linked, list_text, motion_text,
    number, only_if, place, prose, proven_sides, rank_words, rates, solvable_words, verify_text,
};
pub use vary::{vary_figures, vary_json, vary_table, vary_text, vary_verdict};

use crate::analysis::Model;
use crate::expr::Extent;
use crate::system::sanitize;

/// What is said of a result besides where the effort did not suffice.
fn effort_words(extent: Extent) -> &'static str {
    match extent {
        Extent::Whole => "",
        Extent::CutShort => " within the effort",
    }
}

/// The title of a system, fit for a terminal.
pub fn title(model: &Model) -> String {
    sanitize(&model.system.name)
}
