//! What a command that a test runs must not see. The tests in `docs` have it too.

use std::process::Command;

/// Keeps the settings of whoever runs the tests away.
pub(crate) fn scrub(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C")
}
