//! A check for continuous integration: exit code 1 where the Inverse Function Theorem fails at the start of a system.
//!
//! ```text
//! cargo run --no-default-features --example theorem -- my.yaml x1=0 x2=0
//! ```

use holonom::analysis::{Model, Overrides};
use holonom::report::check_text;
use holonom::system::{System, find};
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or("bead_on_parabola".to_owned());
    let text = match find(&name) {
        Some(builtin) => builtin.text.to_owned(),
        None => std::fs::read_to_string(&name)?,
    };
    let system = System::parse(&text, &name, &[]).map_err(|faults| faults[0].to_string())?;
    let mut point = Vec::new();
    for word in words {
        let (coordinate, value) = word.split_once('=').ok_or("NAME=VALUE is expected")?;
        point.push((coordinate.to_owned(), value.parse()?));
    }
    let overrides = Overrides::new(&system, &point)?;
    let model = Model::new(system);
    let check = model.check(model.site(&overrides)?, None, &[]);
    print!("{}", check_text(&model, &check, 80));
    Ok(ExitCode::from(u8::from(!check.verdict.holds())))
}
