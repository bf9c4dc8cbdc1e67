//! A sweep of one's own: how the greatest pull in the rod of a pendulum depends on where it is let go.
//!
//! ```text
//! cargo run --no-default-features --example sweep
//! ```

use holonom::analysis::{Model, Request, simulate_table};
use holonom::system::System;
use std::sync::atomic::AtomicBool;

const PENDULUM: &str = "
coordinates: [x, y]
parameters: {m: 1, g: 9.81, l: 1, angle: 0}
lagrangian: m/2*(x'^2 + y'^2) - m*g*y
constraints: {rod: x^2 + y^2 = l^2}
start: {x: l*sin(angle), y: -l*cos(angle), x': 0, y': 0}
run: {until: 3, samples: 300}
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("degrees,pull");
    let go = AtomicBool::new(false);
    for degrees in (10..=170).step_by(40) {
        let set = [("angle".to_owned(), format!("{degrees}*pi/180"))];
        let system =
            System::parse(PENDULUM, "pendulum", &set).map_err(|faults| faults[0].to_string())?;
        let model = Model::new(system);
        let motion = model.simulate(&Request::default(), &go)?;
        // the force of constraint is lambda times the gradient, which is 2 l long
        let table = simulate_table(&model, &motion, Some(&["lambda_rod".to_owned()]))?;
        let pull = table.rows.iter().map(|row| 2.0 * row[0].abs());
        println!("{degrees},{:.4}", pull.fold(0.0, f64::max));
    }
    Ok(())
}
