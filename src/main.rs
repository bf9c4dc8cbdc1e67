//! The program: arguments and dispatch.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments
        .next()
        .unwrap_or_else(|| "bead_on_parabola".to_owned());
    let input = match holonom::system::load(&name, &mut std::io::stdin()) {
        Ok(input) => input,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let options = holonom::workbench::Options {
        input,
        set: Vec::new(),
        ascii: arguments.any(|argument| argument == "--ascii"),
    };
    match holonom::workbench::run(options) {
        Ok(ending) => match ending.signal {
            Some(signal) => ExitCode::from(u8::try_from(128 + signal).unwrap_or(1)),
            None => ExitCode::SUCCESS,
        },
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(3)
        }
    }
}
