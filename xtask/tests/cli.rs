//! Whole runs in throw-away git repositories: arguments, exit code, standard output and standard error.

use std::fs;
use std::process::{Command, Output};

use camino::{Utf8Path, Utf8PathBuf};

/// Pins a run in the snapshot `cli__<name of the test>`, beside those of the fixtures.
macro_rules! pin {
    ($shown:expr) => {
        insta::with_settings!({ snapshot_path => "../../snapshots", omit_expression => true }, {
            insta::assert_snapshot!($shown);
        })
    };
}

const SPAWN: &str = "import subprocess\nsubprocess.Popen(['a'], start_new_session=True)\n";
const MARKED: &str =
    "import subprocess\n# detached-spawn: ok — it restarts us\nsubprocess.Popen(['a'], process_group=0)\n";

struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    /// A repository whose files are all tracked.
    fn new(files: &[(&str, &str)]) -> Repository {
        let repository = Repository { folder: tempfile::tempdir().unwrap() };
        repository.git(&["init", "--quiet"]);
        for (path, text) in files {
            repository.write(path, text);
        }
        repository.git(&["add", "--all", "--force"]);
        repository
    }

    fn path(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.folder.path()).unwrap().canonicalize_utf8().unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.folder.path()).args(["-c", "user.name=a", "-c", "user.email=a@localhost"]);
        let output = scrub(&mut command).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn lint(&self, arguments: &[&str]) -> String {
        self.lint_in(".", arguments)
    }

    fn lint_in(&self, folder: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.arg("lint-spawns").args(arguments).current_dir(self.path().join(folder));
        shown(&scrub(&mut command).output().unwrap()).replace(self.path().as_str(), "ROOT")
    }
}

/// Keeps the settings of whoever runs the tests away.
fn scrub(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C")
}

fn shown(output: &Output) -> String {
    format!(
        "exit code: {}\n----- stdout\n{}----- stderr\n{}",
        output.status.code().unwrap(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn policy(table: &str) -> String {
    format!("[tool.lint-spawns]\n{table}")
}

#[test]
fn a_bare_xtask_prints_the_subcommands() {
    pin!(shown(&Command::new(env!("CARGO_BIN_EXE_xtask")).output().unwrap()));
}

#[test]
fn help() {
    pin!(Repository::new(&[]).lint(&["--help"]));
}

#[test]
fn usage() {
    pin!(Repository::new(&[]).lint(&["--no-such-flag"]));
}

#[test]
fn scope() {
    let repository = Repository::new(&[
        ("app/run.py", SPAWN),
        ("app/marked.py", MARKED),
        ("app/tests/run.py", SPAWN),
        ("app/evals/run.py", SPAWN),
        ("app/__pycache__/run.py", SPAWN),
        ("node_modules/run.py", SPAWN),
        ("app/test_run.py", SPAWN),
        ("app/helper.py", SPAWN),
        ("app/run.pyi", SPAWN),
        ("app/.py", SPAWN),
        ("app/run.PY", SPAWN),
        ("app/deleted.py", SPAWN),
        ("elsewhere/run.py", SPAWN),
        (
            "pyproject.toml",
            &policy(
                "include = ['app', 'gone']\nexclude = ['tests', 'evals', '__pycache__', 'test_*.py', 'app/helper.py']\n",
            ),
        ),
    ]);
    repository.write("app/untracked.py", SPAWN);
    fs::remove_file(repository.path().join("app/deleted.py")).unwrap();
    pin!(repository.lint(&[]));
}

#[test]
fn a_folder_of_a_repository_as_root() {
    let repository = Repository::new(&[("a/run.py", SPAWN), ("b/run.py", SPAWN)]);
    pin!(repository.lint(&["--root", "a"]));
}

#[test]
fn the_root_is_the_top_of_the_work_tree() {
    let repository = Repository::new(&[("a/run.py", SPAWN), ("b/run.py", SPAWN)]);
    pin!(repository.lint_in("a", &[]));
}

#[test]
fn order_is_that_of_the_bytes_of_the_path() {
    let repository = Repository::new(&[("a/z.py", SPAWN), ("a-b.py", SPAWN), ("a.py", SPAWN), ("B.py", SPAWN)]);
    pin!(repository.lint(&[]));
}

#[cfg(unix)]
#[test]
fn links() {
    use std::os::unix::fs::symlink;
    let repository = Repository::new(&[("real.py", SPAWN), ("notes.txt", SPAWN), ("tests/real.py", SPAWN)]);
    let root = repository.path();
    symlink("real.py", root.join("a_link.py")).unwrap();
    symlink("notes.txt", root.join("text_link.py")).unwrap();
    symlink("tests/real.py", root.join("excluded_link.py")).unwrap();
    symlink("gone.py", root.join("dangling.py")).unwrap();
    repository.git(&["add", "--all"]);
    pin!(repository.lint(&[]));
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_opened() {
    use std::os::unix::fs::symlink;
    let repository = Repository::new(&[("run.py", "x = 1\n"), ("folder.py", "x = 1\n")]);
    let root = repository.path();
    symlink("/dev/zero", root.join("device.py")).unwrap();
    symlink("loop.py", root.join("loop.py")).unwrap();
    repository.git(&["add", "--all"]);
    fs::remove_file(root.join("folder.py")).unwrap();
    fs::create_dir(root.join("folder.py")).unwrap();
    pin!(repository.lint(&[]));
}

#[test]
fn a_merge_conflict_counts_once() {
    let repository = Repository::new(&[("run.py", "x = 1\n")]);
    repository.git(&["commit", "--quiet", "-m", "base"]);
    repository.git(&["checkout", "--quiet", "-b", "other"]);
    repository.write("run.py", SPAWN);
    repository.git(&["commit", "--quiet", "-a", "-m", "other"]);
    repository.git(&["checkout", "--quiet", "-"]);
    repository.write("run.py", MARKED);
    repository.git(&["commit", "--quiet", "-a", "-m", "ours"]);
    let mut merge = Command::new("git");
    merge.arg("-C").arg(repository.folder.path()).args(["merge", "--quiet", "other"]);
    assert!(!scrub(&mut merge).output().unwrap().status.success(), "the merge is meant to conflict");
    pin!(repository.lint(&[]));
}

fn baseline_repository() -> Repository {
    let two = format!("{SPAWN}{SPAWN}");
    Repository::new(&[
        ("exact.py", SPAWN),
        ("under.py", SPAWN),
        ("over.py", &two),
        ("clean.py", "x = 1\n"),
        (
            "pyproject.toml",
            &policy(
                "[tool.lint-spawns.baseline]\n\"exact.py\" = 1\n\"under.py\" = 3\n\"over.py\" = 1\n\"clean.py\" = 1\n\"gone.py\" = 2\n",
            ),
        ),
    ])
}

#[test]
fn baseline() {
    pin!(baseline_repository().lint(&[]));
}

#[test]
fn baseline_strict() {
    pin!(baseline_repository().lint(&["--strict-baseline"]));
}

#[test]
fn baseline_ignored_by_all() {
    pin!(baseline_repository().lint(&["--all"]));
}

#[test]
fn baseline_ignored_by_paths() {
    pin!(baseline_repository().lint(&["exact.py"]));
}

#[test]
fn baseline_printed() {
    pin!(baseline_repository().lint(&["--print-baseline"]));
}

#[test]
fn baseline_printed_is_read_back() {
    let repository = baseline_repository();
    let printed = repository.lint(&["--print-baseline"]);
    let table = printed.split("----- stdout\n").nth(1).unwrap().split("----- stderr").next().unwrap();
    repository.write("pyproject.toml", table);
    pin!(repository.lint(&["--strict-baseline"]));
}

#[test]
fn stale_entries_alone_do_not_fail() {
    let repository = Repository::new(&[
        ("clean.py", "x = 1\n"),
        ("pyproject.toml", &policy("[tool.lint-spawns.baseline]\n\"clean.py\" = 1\n")),
    ]);
    pin!(repository.lint(&[]));
}

#[test]
fn stale_entries_alone_fail_a_strict_run() {
    let repository = Repository::new(&[
        ("clean.py", "x = 1\n"),
        ("pyproject.toml", &policy("[tool.lint-spawns.baseline]\n\"clean.py\" = 1\n")),
    ]);
    pin!(repository.lint(&["--strict-baseline"]));
}

#[test]
fn paths() {
    let repository = Repository::new(&[("a/run.py", SPAWN), ("a/tests/run.py", SPAWN), ("b/run.py", SPAWN)]);
    repository.write("a/untracked.py", SPAWN);
    repository.write("notes.txt", SPAWN);
    pin!(repository.lint(&["a", "notes.txt", "a/tests/run.py"]));
}

#[test]
fn paths_relative_to_the_current_folder() {
    let repository = Repository::new(&[("a/run.py", SPAWN)]);
    pin!(repository.lint_in("a", &["run.py", "./run.py", "../a/run.py"]));
}

#[test]
fn paths_all_ruled_out() {
    let repository = Repository::new(&[("tests/run.py", SPAWN), ("notes.txt", SPAWN)]);
    pin!(repository.lint(&["tests/run.py", "notes.txt", "tests"]));
}

#[test]
fn paths_that_cannot_be_checked() {
    let repository = Repository::new(&[("run.py", SPAWN), ("docs/notes.txt", "")]);
    pin!(repository.lint(&["missing.py", "docs", "run.py"]));
}

#[test]
fn a_path_outside_any_repository() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("deep")).unwrap();
    fs::write(folder.path().join("deep/run.py"), SPAWN).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["lint-spawns", "deep"]).current_dir(folder.path());
    pin!(shown(&scrub(&mut command).output().unwrap()));
}

#[test]
fn no_repository() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("lint-spawns").current_dir(folder.path());
    let shown = shown(&scrub(&mut command).output().unwrap());
    pin!(shown.replace(folder.path().canonicalize().unwrap().to_str().unwrap(), "FOLDER"));
}

#[test]
fn nothing_to_check() {
    pin!(Repository::new(&[("notes.txt", "")]).lint(&[]));
}

#[test]
fn the_root_is_missing() {
    pin!(Repository::new(&[]).lint(&["--root", "missing"]));
}

#[test]
fn policies_that_cannot_be_used() {
    let cases = [
        ("unknown key", "includes = ['a']\n"),
        ("wrong type", "include = 'a'\n"),
        ("bad glob", "exclude = ['a[']\n"),
        ("unknown rule", "select = ['start-session']\n"),
        ("empty marker", "marker = ' '\n"),
        ("helper", "detach-helpers = ['a.b']\n"),
        ("include outside", "include = ['../a']\n"),
        ("negative count", "[tool.lint-spawns.baseline]\n'run.py' = -1\n"),
        ("not TOML", "include = [\n"),
    ];
    let mut all = String::new();
    for (what, table) in cases {
        let repository = Repository::new(&[("run.py", SPAWN), ("pyproject.toml", &policy(table))]);
        all += &format!("=== {what}\n{}", repository.lint(&[]));
    }
    pin!(all);
}

#[test]
fn two_policies() {
    let repository = Repository::new(&[
        ("run.py", SPAWN),
        ("pyproject.toml", &policy("")),
        ("Cargo.toml", "[workspace.metadata.lint-spawns]\n"),
    ]);
    pin!(repository.lint(&[]));
}

#[test]
fn a_policy_file_of_its_own() {
    let repository =
        Repository::new(&[("run.py", SPAWN), ("policy.toml", "marker = 'spawn: fine'\nadvice = 'ask us.'\n")]);
    pin!(repository.lint(&["--config", "policy.toml"]));
}

#[test]
fn a_missing_policy_file() {
    pin!(Repository::new(&[("run.py", SPAWN)]).lint(&["--config", "missing.toml"]));
}

#[test]
fn ignored_rules() {
    let repository =
        Repository::new(&[("run.py", SPAWN), ("pyproject.toml", &policy("ignore = ['start-new-session']\n"))]);
    pin!(repository.lint(&[]));
}

#[test]
fn output_cannot_be_forged() {
    let name = "a\u{1b}[2K\rb.py";
    let repository = Repository::new(&[(name, "f(start_new_session=True)  # \u{1b}[2K\u{202e}\n")]);
    pin!(repository.lint(&[]));
}

#[test]
fn a_long_line_is_cut() {
    let text = format!("    f('{}', start_new_session=True)\n", "é".repeat(300));
    pin!(Repository::new(&[("run.py", &text)]).lint(&[]));
}

fn ci(arguments: &[&str]) -> String {
    shown(&Command::new(env!("CARGO_BIN_EXE_xtask")).arg("ci").args(arguments).output().unwrap())
}

fn without_times(shown: &str) -> String {
    regex::Regex::new(r" +[0-9]+\.[0-9] s").unwrap().replace_all(shown, " TIME").into_owned()
}

#[test]
fn ci_help() {
    pin!(ci(&["--help"]));
}

#[test]
fn ci_lists_its_steps() {
    pin!(ci(&["--list"]));
}

#[test]
fn ci_lists_chosen_steps() {
    pin!(ci(&["--list", "--only", "test,docs,format", "--skip", "docs"]));
}

#[test]
fn ci_runs_a_step() {
    pin!(without_times(&ci(&["--only", "lint-spawns"])));
}

#[test]
fn ci_with_an_unknown_step() {
    pin!(ci(&["--skip", "tests"]));
}

#[test]
fn ci_with_no_step_left() {
    pin!(ci(&["--only", "test", "--skip", "test"]));
}

/// The oracle needs a Python; `programs` are all that is on PATH, each a shell script.
fn ci_oracle(programs: &[(&str, &str)]) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    for (name, script) in programs {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let shown = shown(&command.args(["ci", "--only", "oracle"]).env("PATH", folder.path()).output().unwrap());
    without_times(&shown).replace(env!("CARGO_BIN_EXE_xtask"), "XTASK")
}

#[test]
fn ci_without_python() {
    pin!(ci_oracle(&[]));
}

#[test]
fn ci_with_an_old_python() {
    pin!(ci_oracle(&[("python3", "echo Python 3.8.18; exit 1")]));
}

#[test]
fn ci_with_a_difference() {
    // The first call asks for the version.
    pin!(ci_oracle(&[("python", "[ \"$1\" = -c ] || { echo \"$@\"; exit 1; }")]));
}
