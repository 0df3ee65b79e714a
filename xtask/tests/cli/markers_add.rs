//! `lint-spawns markers add`.

use std::fs;

use crate::repository::{Repository, policy};
use crate::{MARKED, SPAWN};

const REASON: &str = "it restarts us";

/// Python that a careless marker would break.
const BRITTLE: &str = "\
x = f'''
{os.setsid()}
'''
y = 1 + \\
    os.setsid() + \\
    2
z = os.setsid(), '''
'''
w = os.setsid() + \\
    1
@os.setsid()  # type: ignore
def f():
    if os.setpgrp(): pass
    elif os.setsid():  # noqa
        pass
os.setsid(an_argument_so_long_that_the_line_gets_too_long_with_a_marker, b)
";

fn add(repository: &Repository, arguments: &[&str]) -> String {
    let shown = repository.lint(&[&["markers", "add"], arguments].concat());
    format!("=== markers add {arguments:?}\n{shown}")
}

fn check(repository: &Repository, arguments: &[&str]) -> String {
    format!("=== {arguments:?}\n{}", repository.lint(arguments))
}

/// What is not as git tracks it.
pub(crate) fn changes(repository: &Repository) -> String {
    let diff = repository.try_git(&["diff", "--no-color", "--no-ext-diff"]).stdout;
    let new = repository.try_git(&["status", "--porcelain", "--untracked-files=all"]).stdout;
    let new = String::from_utf8(new).unwrap();
    let new: String = new.split_inclusive('\n').filter(|line| line.starts_with('?')).collect();
    format!("=== what has changed\n{new}{}", String::from_utf8_lossy(&diff))
}

/// The bytes of a file, line by line.
pub(crate) fn bytes(repository: &Repository, path: &str) -> String {
    let text = fs::read(repository.path().join(path)).unwrap();
    let lines = text.split_inclusive(|&byte| byte == b'\n').map(|line| format!("    {}\n", line.escape_ascii()));
    format!("=== {path}\n{}", lines.collect::<String>())
}

#[test]
fn markers_added() {
    let repository = Repository::new(&[
        ("a.py", &format!("{SPAWN}{MARKED}")),
        ("clean.py", "x = 1\n"),
        ("sub/b.py", "os.setsid()\nos.setpgrp()  # why\n"),
        ("tests/c.py", SPAWN),
    ]);
    let first = add(&repository, &[REASON]) + &changes(&repository);
    let all = first + &check(&repository, &[]) + &add(&repository, &[REASON]) + &changes(&repository);
    pin!(all);
}

#[test]
fn markers_added_to_python_that_they_could_break() {
    let repository = Repository::new(&[("a.py", BRITTLE)]);
    let first = add(&repository, &[REASON]) + &changes(&repository);
    let all = first + &check(&repository, &[]) + &add(&repository, &[REASON]) + &changes(&repository);
    pin!(all);
}

/// Above its statement there is a place for each of them.
#[test]
fn markers_added_to_statements() {
    let decorated = "@f(process_group=0)\n@g(process_group=0)\ndef h(): pass\n";
    let text = format!("{BRITTLE}os.setsid(); os.setsid(\n    os.setpgrp,\n    os.setsid)\n{decorated}");
    let repository = Repository::new(&[("a.py", &text), ("pyproject.toml", &policy("markers = 'statement'\n"))]);
    let first = add(&repository, &[REASON]) + &changes(&repository);
    pin!(first + &check(&repository, &["--strict-markers"]) + &add(&repository, &[REASON]));
}

#[test]
fn markers_added_by_policy() {
    let repository = Repository::new(&[
        ("a.py", SPAWN),
        ("tolerated.py", SPAWN),
        ("out/b.py", SPAWN),
        (
            "pyproject.toml",
            &policy("marker = 'spawn-ok'\nexclude = ['out']\n[tool.lint-spawns.baseline]\n'tolerated.py' = 1\n"),
        ),
    ]);
    pin!(add(&repository, &[REASON]) + &changes(&repository) + &check(&repository, &[]));
}

/// Of the two on neighbouring lines, the one is not to be marked along with the other.
#[test]
fn markers_added_for_one_rule() {
    let text = "os.setsid()\nf(process_group=0)\n\nf(process_group=0); os.setsid()\nf(process_group=0)\n";
    let repository = Repository::new(&[("a.py", text)]);
    let first = add(&repository, &[REASON, "--rule", "os-setsid"]) + &changes(&repository) + &check(&repository, &[]);
    let wrong =
        [&["--rule", "setsid"][..], &["--rule", "setsid-alias"], &["--rule", "os-setsid", "--ignore", "os-setsid"]];
    let wrong = wrong.map(|arguments| add(&repository, &[&[REASON], arguments].concat()));
    pin!(first + &wrong.concat());
}

#[test]
fn markers_added_to_the_rules_in_force() {
    let repository = Repository::new(&[("a.py", "import pty\npty.fork()\nf(process_group=-1)\nos.setsid()\n")]);
    let all = [
        add(&repository, &[REASON, "--precise", "--select", "all", "--ignore", "os-setsid"]),
        changes(&repository),
        add(&repository, &[REASON]),
        changes(&repository),
    ];
    pin!(all.concat());
}

#[test]
fn markers_added_in_paths() {
    let repository = Repository::new(&[("a.py", SPAWN), ("sub/b.py", SPAWN), ("tests/c.py", SPAWN), ("d.txt", SPAWN)]);
    repository.write("sub/untracked.py", SPAWN);
    let elsewhere = Repository::without_git(&[("e.py", SPAWN)]);
    let path = elsewhere.path().join("e.py");
    let outside = add(&repository, &[REASON, path.as_str()]).replace(elsewhere.path().as_str(), "ELSEWHERE");
    let all = [
        add(&repository, &[REASON, "sub", "tests/c.py", "d.txt"]),
        add(&repository, &[REASON, "tests/c.py"]),
        add(&repository, &[REASON, "a.py", "gone.py"]),
        add(&repository, &[REASON, "--root", "tests"]),
        changes(&repository),
        bytes(&repository, "sub/untracked.py"),
        outside,
        bytes(&elsewhere, "e.py"),
        add(&elsewhere, &[REASON]),
    ];
    pin!(all.concat());
}

#[test]
fn markers_without_a_reason() {
    let repository = Repository::new(&[("a.py", SPAWN)]);
    let reasons = ["", " ", "-", "—", "– -", "--", "two\nlines", "\u{1b}[2K", "a\u{202e}b"];
    let mut all: String = reasons.iter().map(|reason| add(&repository, &[reason])).collect();
    all += &add(&repository, &[]);
    all += &add(&repository, &["--", "--"]);
    repository.write("policy.toml", "marker = \"a\\rb\"\n");
    all += &add(&repository, &[REASON, "--config", "policy.toml"]);
    pin!(all + &changes(&repository));
}

#[test]
fn markers_keep_bytes() {
    let repository = Repository::new(&[]);
    let files: [(&str, &[u8]); 5] = [
        ("crlf.py", b"import os\r\nos.setsid()\r\nos.setsid()  # why\r\n"),
        ("bom.py", b"\xef\xbb\xbfos.setsid() #\r\nos.setsid()"),
        ("latin.py", b"# coding: latin-1\n'\xe9', os.setsid()\n'\xe9', os.setsid() # \xe9\n"),
        ("mixed.py", b"os.setsid() #\ra\r\n'\xff'\nos.setpgrp() #\r\nb\n"),
        ("unknown.py", b"# coding: shift_jis\nos.setsid()\n"),
    ];
    for (path, text) in files {
        repository.write(path, text);
    }
    repository.track();
    let dry = repository.command().args(["markers", "add", REASON, "--dry-run"]).output().unwrap();
    let mut all = add(&repository, &[REASON]);
    for (path, _) in files {
        all += &bytes(&repository, path);
    }
    all += &add(&repository, &[REASON]);
    pin!(all);
    applies(&repository, &dry.stdout);
}

#[test]
fn markers_that_would_be_added() {
    let text = format!("{}{SPAWN}{}{SPAWN}", "a\n".repeat(5), "b\n".repeat(9));
    let repository = Repository::new(&[
        ("a.py", &text),
        ("a name.py", SPAWN.trim_end()),
        ("\"quoted\"\t\\é.py", SPAWN),
        ("é.py", MARKED),
        ("brittle.py", BRITTLE),
    ]);
    let dry = repository.command().args(["markers", "add", REASON, "--dry-run"]).output().unwrap();
    let all = [
        add(&repository, &[REASON, "--dry-run"]),
        changes(&repository),
        add(&repository, &[REASON, "--dry-run", "é.py"]),
        add(&repository, &[REASON]),
    ];
    pin!(all.concat());
    applies(&repository, &dry.stdout);
}

/// That git makes of the tracked files what they are now.
fn applies(repository: &Repository, patch: &[u8]) {
    let now = repository.try_git(&["diff", "--binary"]).stdout;
    repository.git(&["checkout", "--quiet", "--", "."]);
    repository.write("patch", patch);
    repository.git(&["apply", "--whitespace=nowarn", "patch"]);
    assert!(repository.try_git(&["diff", "--binary"]).stdout == now, "{}", patch.escape_ascii());
}

#[test]
fn markers_where_there_is_nothing_to_check() {
    let repository = Repository::new(&[("tests/a.py", SPAWN)]);
    pin!(add(&repository, &[REASON]) + &add(&repository, &[REASON, "--dry-run", "tests/a.py"]));
}

#[test]
fn markers_add_help() {
    let repository = Repository::without_git(&[]);
    pin!(add(&repository, &["--help"]));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::repository::as_ordinary_user;

    fn set_mode(repository: &Repository, path: &str, mode: u32) {
        fs::set_permissions(repository.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn markers_behind_links() {
        let repository = Repository::new(&[("real/a.py", SPAWN)]);
        symlink("real/a.py", repository.path().join("link.py")).unwrap();
        symlink("real", repository.path().join("folder")).unwrap();
        repository.track();
        set_mode(&repository, "real/a.py", 0o755);
        repository.track();
        pin!(add(&repository, &[REASON, "link.py", "folder"]) + &changes(&repository));
    }

    /// The other files are marked all the same.
    #[test]
    fn markers_that_may_not_be_written() {
        let repository = Repository::new(&[
            ("a.py", SPAWN),
            ("closed/b.py", SPAWN),
            ("read_only.py", SPAWN),
            ("unreadable.py", SPAWN),
            ("z.py", BRITTLE),
        ]);
        set_mode(&repository, "closed", 0o555);
        set_mode(&repository, "read_only.py", 0o444);
        set_mode(&repository, "unreadable.py", 0o000);
        let shown = as_ordinary_user(&repository, repository.command().args(["markers", "add", REASON]));
        set_mode(&repository, "closed", 0o755);
        set_mode(&repository, "unreadable.py", 0o644);
        let owner = ["-c", "safe.directory=*"];
        let status = repository.try_git(&[&owner[..], &["status", "--porcelain"]].concat()).stdout;
        pin!(format!("{shown}=== git status\n{}", String::from_utf8(status).unwrap()));
    }

    /// As on a full disk: no file may grow beyond one block.
    #[test]
    fn markers_for_which_there_is_no_room() {
        let large = format!("{SPAWN}{}", "# a comment\n".repeat(1000));
        let repository = Repository::new(&[("a.py", SPAWN), ("large.py", &large), ("z.py", SPAWN)]);
        let mut command = std::process::Command::new("sh");
        let script = "trap '' XFSZ; ulimit -f 4; exec \"$@\"";
        command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_xtask"), "lint-spawns", "markers", "add", REASON]);
        crate::repository::scrub(command.current_dir(repository.path()));
        pin!(repository.run(&mut command) + &changes(&repository));
    }
}
