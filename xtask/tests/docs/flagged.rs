//! What the tool flags in an example.

use std::fs;
use std::process::Command;

/// The lines that the tool flags, with all rules in force and this policy.
pub(crate) fn flagged(code: &str, policy: &str) -> Vec<usize> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("example.py"), code).unwrap();
    let policy = format!("select = [\"all\"]\ndetach-helpers = [\"detach_popen_kwargs\"]\n{policy}\n");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["lint-spawns", "--root", ".", "--config", "policy.toml", "example.py"]);
    let output = command.current_dir(folder.path()).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = String::from_utf8(output.stdout).unwrap();
    report.lines().filter_map(|line| line.strip_prefix("example.py:")?.split_once(':')?.0.parse().ok()).collect()
}
