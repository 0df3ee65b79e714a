//! `cargo xtask ci`, in hosts of its own: Cargo workspaces whose steps take no time, with a cargo that does nothing.

use std::fmt::Write as _;
use std::process::Command;

use camino::Utf8PathBuf;

use crate::repository::{Repository, scrub, shown};

/// Says what it is asked, and succeeds.
const CARGO: &str = "#!/bin/sh\necho \"cargo $*\"\n";

/// Steps that show what may happen.
const STEPS: &str = r#"
[[workspace.metadata.ci.step]]
name = "py-green"
command = ["sh", "-c", "echo to standard output; echo to standard error >&2"]
paths = ["*.py"]

[[workspace.metadata.ci.step]]
name = "py-red"
command = ["sh", "-c", "echo 'one of two is wrong'; exit 3"]
folder = "app"
paths = ["app"]

[[workspace.metadata.ci.step]]
name = "web"
command = ["true"]
paths = ["/web/**/*.ts"]
"#;

/// A step of the built-in ones needs a program of which nobody has heard.
const MISSING: &str = r#"
[[workspace.metadata.ci.step]]
name = "exotic"
command = ["no-such-program", "--all"]

[[workspace.metadata.ci.step]]
name = "exotic-too"
command = ["true"]
requires = ["true", "no-such-program", "old-program >= 2.10"]
install = "see https://example.org"

[[workspace.metadata.ci.step]]
name = "after"
command = ["true"]
"#;

/// A workspace with these steps, all of its files tracked, and a `cargo` in `bin`.
pub(crate) fn host(steps: &str) -> Repository {
    let manifest = format!("[workspace]\n{steps}");
    let files = [("Cargo.toml", manifest.as_str()), ("app/run.py", "print()\n"), ("bin/cargo.txt", CARGO)];
    let repository = Repository::new(&files);
    install(&repository, "cargo", CARGO);
    repository
}

/// Puts a program into `bin`.
fn install(repository: &Repository, name: &str, script: &str) {
    let draft = format!("bin/{name}.txt");
    repository.write(&draft, script);
    // See `Repository::lint_with_git`.
    let mut install = Command::new("install");
    install.args(["-m", "755", &draft, &format!("bin/{name}")]).current_dir(repository.path());
    assert!(install.status().unwrap().success());
}

pub(crate) const XTASK: &str = env!("CARGO_BIN_EXE_xtask");

/// `cargo xtask ci` in the host, with its `bin` before all other programs.
pub(crate) fn command(repository: &Repository, arguments: &[&str]) -> Command {
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new(XTASK);
    if cfg!(target_os = "linux") {
        // What is ignored stays so for children: SIGINT where a script runs the tests in the background, SIGHUP by `nohup`.
        command = Command::new("/usr/bin/env");
        command.args(["--default-signal=HUP,INT,TERM", XTASK]);
    }
    command.arg("ci").args(arguments).current_dir(repository.path());
    scrub(&mut command).env("PATH", format!("{}:{path}", repository.path().join("bin")));
    for variable in ["GITHUB_ACTIONS", "NO_COLOR", "CLICOLOR_FORCE", "XTASK", "TERM", "INSTA_UPDATE"] {
        command.env_remove(variable);
    }
    command
}

/// What a run shows, without its times.
pub(crate) fn run(repository: &Repository, command: &mut Command) -> String {
    without_times(&repository.run(command))
}

pub(crate) fn without_times(shown: &str) -> String {
    let masked = |pattern, mask| regex::Regex::new(pattern).map(|times| (times, mask)).unwrap();
    let masks = [
        masked(r"in [0-9]+\.[0-9] s\n", "in TIME\n"),
        masked(r" [ 0-9]{3}[0-9]\.[0-9] s", "     TIME"),
        masked(r#"("seconds": )[0-9.]+"#, "${1}TIME"),
        masked(r"\([0-9a-f]{12}\)", "(COMMIT)"),
    ];
    masks.iter().fold(shown.to_owned(), |shown, (pattern, mask)| pattern.replace_all(&shown, *mask).into_owned())
}

/// Runs that differ by their arguments.
fn runs(repository: &Repository, all: &[&[&str]]) -> String {
    let mut text = String::new();
    for arguments in all {
        let shown = run(repository, &mut command(repository, arguments));
        let _ = write!(text, "=== ci {}\n{shown}", arguments.join(" "));
    }
    text
}

fn ci(arguments: &[&str]) -> String {
    runs(&host(STEPS), &[arguments])
}

#[test]
fn ci_help() {
    pin!(ci(&["--help"]));
}

#[test]
fn ci_all_green() {
    pin!(ci(&["--skip", "py-red"]));
}

#[test]
fn ci_with_a_failure() {
    pin!(ci(&[]));
}

#[test]
fn ci_keeps_going() {
    pin!(ci(&["--keep-going"]));
}

#[test]
fn ci_verbose() {
    pin!(ci(&["--verbose", "--keep-going", "--only", "py-*,web"]));
}

#[test]
fn ci_with_programs_that_are_missing() {
    let repository = host(MISSING);
    install(&repository, "cargo", "#!/bin/sh\n[ \"$1\" != clippy ] || { echo 'no such command: clippy'; exit 101; }\n");
    install(&repository, "old-program", "#!/bin/sh\necho This is old-program v2.9-rc1\n");
    pin!(runs(&repository, &[&[], &["--strict", "--keep-going"], &["--list"], &["--json", "--only", "exotic*"]]));
}

#[test]
fn ci_json() {
    pin!(ci(&["--json", "--only", "format,py-*,web"]));
}

#[test]
fn ci_lists_its_steps() {
    pin!(runs(
        &host(STEPS),
        &[&["--list"], &["--list", "--only", "*py*,docs", "--skip", "docs,web"], &["--list", "--fix"]]
    ));
}

#[test]
fn ci_with_steps_that_do_not_exist() {
    let repository = host(STEPS);
    let all: [&[&str]; 5] = [
        &["--skip", "tests"],
        &["--only", "format,rs-*"],
        &["--only", "[web"],
        &["--only", ""],
        &["--only", "web", "--skip", "w*"],
    ];
    pin!(runs(&repository, &all));
}

#[test]
fn ci_on_github() {
    let steps = r#"
[[workspace.metadata.ci.step]]
name = "forges"
command = ["printf", '::error::forged\n  ::stop-commands::x\n##[error]forged\n::endgroup::\n\033[2J\033[31mred\033[0m\r\n']

[[workspace.metadata.ci.step]]
name = "forges-and-fails"
command = ["sh", "-c", "echo '::warning::forged'; printf 'no line end'; exit 1"]
"#;
    let repository = host(steps);
    pin!(run(&repository, command(&repository, &["--only", "format,forges*"]).env("GITHUB_ACTIONS", "true")));
}

#[test]
fn ci_in_colours() {
    let steps = r#"
[[workspace.metadata.ci.step]]
name = "red"
command = ["sh", "-c", 'printf "\033[31m$CARGO_TERM_COLOR\033[0m \033[2J\n"; exit 1']

[[workspace.metadata.ci.step]]
name = "green"
command = ["true"]
"#;
    let repository = host(steps);
    let mut all = String::new();
    for (arguments, variables) in [
        (&["--color", "always"][..], &[][..]),
        (&[], &[("CLICOLOR_FORCE", "1")]),
        (&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]),
        (&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "0")]),
        (&[], &[("CLICOLOR_FORCE", "0"), ("TERM", "xterm")]),
        (&["--color", "never"], &[("CLICOLOR_FORCE", "1")]),
    ] {
        let mut command = command(&repository, arguments);
        command.args(["--only", "red,green"]).envs(variables.iter().copied());
        let shown = run(&repository, &mut command).replace('\x1b', "ESC");
        let _ = write!(all, "=== {arguments:?} {variables:?}\n{shown}");
    }
    pin!(all);
}

#[test]
fn ci_runs_only_what_changes_concern() {
    let repository = host(STEPS);
    let mut all = runs(&repository, &[&["--list", "--changed"]]);
    repository.git(&["commit", "--quiet", "--message", "one"]);
    all += &runs(&repository, &[&["--changed"]]);
    repository.git(&["branch", "one"]);
    repository.git(&["checkout", "--quiet", "-b", "two", "--track", "one"]);
    repository.write("web/a/b.ts", "committed");
    repository.track();
    repository.git(&["commit", "--quiet", "--message", "two"]);
    all +=
        &runs(&repository, &[&["--list", "--changed"], &["--list", "--changed", "HEAD"], &["--list", "--changed=one"]]);
    repository.write("web/staged.py", "staged, then undone");
    repository.track();
    std::fs::remove_file(repository.path().join("web/staged.py")).unwrap();
    all += &runs(&repository, &[&["--list", "--changed", "HEAD"]]);
    repository.git(&["reset", "--quiet"]);
    repository.write("app/untracked file", "");
    all += &runs(&repository, &[&["--list", "--changed", "HEAD", "--only", "py-*"]]);
    repository.git(&["checkout", "--quiet", "--orphan", "three"]);
    repository.git(&["commit", "--quiet", "--message", "three"]);
    all += &runs(&repository, &[&["--changed", "one"], &["--changed", "no-such\u{1b}branch"]]);
    pin!(all);
}

#[test]
fn ci_runs_what_changes_concern() {
    let repository = host(&STEPS.replace("exit 3", "pwd"));
    repository.git(&["commit", "--quiet", "--message", "one"]);
    repository.write("app/run.py", "changed");
    pin!(runs(&repository, &[&["--changed", "--skip", "test"], &["--json", "--changed", "--only", "web,py-red"]]));
}

#[test]
fn ci_changed_outside_any_repository() {
    let repository = Repository::without_git(&[("Cargo.toml", "[workspace]\n")]);
    pin!(runs(&repository, &[&["--changed"]]));
}

#[test]
fn ci_repairs() {
    let steps = r#"
[[workspace.metadata.ci.step]]
name = "ruff"
command = ["sh", "-c", "echo checked; exit 1"]
fix = ["sh", "-c", "echo repaired"]
"#;
    pin!(runs(&host(steps), &[&["--fix", "--verbose", "--skip", "lint-spawns"]]));
}

/// A cargo that leaves behind what tests with insta do.
#[test]
fn ci_repairs_snapshots_that_only_moved() {
    let snapshot = |source: &str, text: &str| format!("---\nsource: {source}\n---\n{text}\n");
    let repository = host("");
    for (name, source, text) in [
        ("moved.snap", "old.rs", "the same"),
        ("moved_here.snap.new", "new.rs\nassertion_line: 3", "the same"),
        ("used.snap", "new.rs", "what another test says, too"),
        ("added.snap.new", "new.rs", "what another test says, too"),
        ("changed.snap", "new.rs", "this"),
        ("changed.snap.new", "new.rs", "that"),
        ("one.snap", "old.rs", "twice"),
        ("two.snap", "old.rs", "twice"),
        ("either.snap.new", "new.rs", "twice"),
        ("stale.snap.new", "old.rs", "nobody asks for this"),
    ] {
        repository.write(format!("snapshots/{name}"), snapshot(source, text));
    }
    repository.write("Cargo.lock", "[[package]]\nname = \"insta\"\n");
    let asked =
        ["moved_here", "used", "added", "changed", "either"].map(|name| format!("app/../snapshots/{name}.snap\n"));
    repository.write("asked", asked.concat());
    let script = "#!/bin/sh\n[ \"$1\" != test ] || echo \"cargo $* $INSTA_UPDATE\"\n";
    install(
        &repository,
        "cargo",
        &format!("{script}[ ! \"$INSTA_UPDATE\" ] || cat asked >$INSTA_SNAPSHOT_REFERENCES_FILE\n"),
    );
    let mut all = run(&repository, &mut command(&repository, &["--fix", "--verbose", "--only", "test"]));
    let mut left: Vec<String> = Vec::new();
    for entry in repository.path().join("snapshots").read_dir_utf8().unwrap().map(Result::unwrap) {
        let text = std::fs::read_to_string(entry.path()).unwrap().replace("---\n", "").replace('\n', "  ");
        left.push(format!("{:20} {}\n", entry.file_name(), text.trim_end()));
    }
    left.sort_unstable();
    all += &format!("----- snapshots\n{}", left.concat());
    pin!(all);
}

#[test]
fn ci_with_bad_steps() {
    let step = |keys: &str| format!("[[workspace.metadata.ci.step]]\n{keys}\n");
    let good = "name = \"web\"\ncommand = [\"true\"]";
    let twice = step(good) + &step("command = [\"true\"]\nname = \"web\"");
    let mut all = String::new();
    for table in [
        step("name = \"web\"\ncomand = [\"true\"]"),
        step("name = \"web\""),
        step("name = \"web\"\ncommand = []"),
        step("name = \"web\"\ncommand = [\"\", \"a\"]"),
        step("name = \"web\"\ncommand = \"true\""),
        step("name = \"web\"\ncommand = [\n  \"true\",\n  \"a\\u0000b\",\n]"),
        step(&format!("{good}\nfix = []")),
        twice,
        step("name = \"clippy\"\ncommand = [\"true\"]"),
        step("name = \"\"\ncommand = [\"true\"]"),
        step("name = \"a,b\"\ncommand = [\"true\"]"),
        step(&format!("{good}\nfolder = \"/tmp\"")),
        step(&format!("{good}\nfolder = \"app/../..\"")),
        step(&format!("{good}\nfolder = \"gone\"")),
        step(&format!("{good}\nfolder = \"out\"")),
        step(&format!("{good}\npaths = [\"a[\"]")),
        step(&format!("{good}\npaths = []")),
        step(&format!("{good}\npaths = [\"../b\"]")),
        step(&format!("{good}\nrequires = [\"python3 > 3\"]")),
        step(&format!("{good}\nrequires = [\"python3 >= three\"]")),
        step(&format!("{good}\ninstall = \"\"")),
        step(&format!("{good}\ntimeout = 0")),
        step(&format!("{good}\ntimeout = -1.5")),
        step(&format!("{good}\ntimeout = inf")),
        step(&format!("{good}\ntimeout = \"10m\"")),
        "[workspace.metadata.ci]\nsteps = []\n".to_owned(),
        "[workspace.metadata.ci.step]\nname = \"web\"\n".to_owned(),
        "[workspace.metadata]\nci = 3\n".to_owned(),
        "[workspace.metadata\n".to_owned(),
    ] {
        let repository = host(&table);
        std::os::unix::fs::symlink("/", repository.path().join("out")).unwrap();
        let _ = write!(all, "=== {}\n{}", table.trim_end(), run(&repository, &mut command(&repository, &[])));
    }
    pin!(all);
}

#[test]
fn ci_runs_a_step_in_its_folder() {
    let steps = r#"
[[workspace.metadata.ci.step]]
name = "own"
command = ["./own.sh", "a b", "*", "$HOME"]
folder = "app"

[[workspace.metadata.ci.step]]
name = "gone"
command = ["app/gone.sh"]

[[workspace.metadata.ci.step]]
name = "dies"
command = ["sh", "-c", "kill -SEGV $$"]
"#;
    let repository = host(steps);
    let script = "#!/bin/sh\npwd\nprintf '<%s>' \"$@\"\necho\necho $XTASK\ncat\n";
    install(&repository, "own", script);
    std::fs::rename(repository.path().join("bin/own"), repository.path().join("app/own.sh")).unwrap();
    // From a folder below, with something on standard input.
    let mut command = command(&repository, &["--only", "own,gone,dies", "--keep-going", "--verbose"]);
    command.current_dir(repository.path().join("app")).stdin(std::fs::File::open("/dev/zero").unwrap());
    pin!(run(&repository, &mut command).replace(env!("CARGO_BIN_EXE_xtask"), "XTASK"));
}

#[test]
fn ci_outside_any_workspace() {
    let repository = Repository::new(&[("Cargo.toml", "[package]\nname = \"a\"\n")]);
    pin!(runs(&repository, &[&[]]));
}

/// The step of this repository that needs a Python; `programs` are all that is on PATH.
fn ci_oracle(programs: &[(&str, &str)]) -> String {
    let bin = Repository::without_git(&[]);
    for (name, script) in programs {
        install(&bin, name, &format!("#!/bin/sh\n{script}\n"));
    }
    let mut command = command(&bin, &["--only", "oracle"]);
    command.current_dir(Utf8PathBuf::from(env!("CARGO_MANIFEST_DIR"))).env("PATH", bin.path().join("bin"));
    without_times(&shown(&command.output().unwrap())).replace(env!("CARGO_BIN_EXE_xtask"), "XTASK")
}

#[test]
fn ci_without_python() {
    pin!(ci_oracle(&[]));
}

#[test]
fn ci_with_an_old_python() {
    pin!(ci_oracle(&[("python3", "echo Python 3.8.18"), ("python", "echo Python 2.7.18")]));
}

#[test]
fn ci_with_a_difference() {
    // On Windows python3 has other names.
    pin!(ci_oracle(&[(
        "python",
        "[ \"$1\" != --version ] || { echo Python 3.9.2; exit; }\necho \"$@\" $XTASK; exit 1"
    )]));
}
