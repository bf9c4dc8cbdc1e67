//! The program as a user runs it: commands, files, the workbench on a pseudo-terminal.

mod bad_files;
mod cli;
mod interrupted;
mod python;
mod regions;
mod systems;
mod workbench;
