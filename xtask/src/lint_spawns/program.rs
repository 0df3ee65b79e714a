//! What lint-spawns is called: in complaints, and in the commands that people are told to run.

use camino::Utf8Path;

/// What complaints begin with.
pub const NAME: &str = "lint-spawns";

/// How to call it in the way in which it was called.
pub fn called() -> &'static str {
    let program = std::env::args().next().unwrap_or_default();
    if Utf8Path::new(&program).file_stem() == Some(NAME) { NAME } else { "cargo xtask lint-spawns" }
}
