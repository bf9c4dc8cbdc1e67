//! Derives the equations of motion of a system and prints them.
//!
//! ```text
//! cargo run --no-default-features --example derive -- my.yaml
//! ```

use holonom::analysis::Model;
use holonom::expr::Style;
use holonom::report::{Layout, derive_text};
use holonom::system::{System, find};
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let (name, text) = if let Some(path) = std::env::args().nth(1) {
        (path.clone(), std::fs::read_to_string(path)?)
    } else {
        let builtin = find("bead_on_parabola").ok_or("it is built in")?;
        (builtin.name.to_owned(), builtin.text.to_owned())
    };
    let system = match System::parse(&text, &name, &[]) {
        Ok(system) => system,
        Err(faults) => {
            // every fault of the file at once, each with its place
            for fault in faults {
                eprintln!("{}", fault.render());
            }
            return Ok(ExitCode::from(2));
        }
    };
    let model = Model::new(system);
    let page = Layout {
        width: 80,
        style: Style::Plain,
    };
    print!("{}", derive_text(&model, &model.derive(None), page));
    Ok(ExitCode::SUCCESS)
}
