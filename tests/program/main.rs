//! The program as a user runs it: commands, files, the workbench on a pseudo-terminal.

mod bad_files;
mod certificates;
mod cli;
mod code;
mod docs;
mod examples;
mod folder;
mod hostile;
mod interrupted;
#[cfg(target_os = "linux")]
mod kills;

mod measured;
mod moments;
mod plain;
mod regions;
mod remarks;
mod schema;
mod shell;
mod sweep;
mod systems;
mod told;
mod workbench;
