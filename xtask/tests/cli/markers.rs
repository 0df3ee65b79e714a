//! Markers: what counts as one, and what is wrong with the others.

use crate::repository::{Repository, policy};
use crate::{MARKED, SPAWN};

const STATEMENT: &str = "markers = 'statement'\n";

/// The same file by both kinds of markers, with what is wrong with them.
fn by_both(text: &str) -> String {
    let repository = Repository::new(&[("run.py", text)]);
    let mut all = format!("{text}\n");
    for table in ["", STATEMENT] {
        repository.write("policy.toml", table);
        let shown = repository.lint(&["--config", "policy.toml", "--strict-markers"]);
        // What is said of spawns at large is pinned elsewhere.
        let lines = shown.lines().filter(|line| line.starts_with("run.py:") || line.contains("policy.toml"));
        all += &format!("=== {table:?}\n{}\n", lines.collect::<Vec<_>>().join("\n"));
    }
    all
}

#[test]
fn a_trailing_marker_leaks_by_the_reference_only() {
    pin!(by_both("os.setsid()  # detached-spawn: ok — updater\nos.setpgrp()\n\nos.setsid()\n"));
}

#[test]
fn markers_in_strings() {
    pin!(by_both(
        r#"
f('detached-spawn: ok — a', start_new_session=True)

f(f"{x}  # detached-spawn: ok — b", start_new_session=True)

def g():
    """Text.
    detached-spawn: ok — c"""
    os.setsid()

def h():
    """Accepts a spawn with

        # detached-spawn: ok — why

    on the line above it."""
    os.setpgrp()  # detached-spawn: ok — d

f("""
detached-spawn: ok — e
""", start_new_session=True)

x = "detached-spawn: ok — f"  # detached-spawn: ok — behind a string
"#
    ));
}

#[test]
fn a_marker_that_a_formatter_moved() {
    let before = "os.setsid()  # detached-spawn: ok — updater\n";
    let after = "subprocess.Popen(\n    ['updater'],\n    start_new_session=True,\n    close_fds=True,\n)  # detached-spawn: ok — updater\n";
    pin!(by_both(before) + &by_both(after));
}

#[test]
fn markers_and_decorators() {
    pin!(by_both(
        "# detached-spawn: ok — the pool ends them
@retry(3)
@pool(start_new_session=True)
def f(x=dict(process_group=0)):
    os.setsid()

@pool(start_new_session=True)

# detached-spawn: ok — the pool ends them
class C(process_group=0):  # detached-spawn: ok — that too
    # detached-spawn: ok — no statement follows

    pass
    # detached-spawn: ok — at the end of the file
"
    ));
}

/// A comment there may be text. By the reference a text counts as well, so it does not matter.
#[test]
fn markers_where_triple_quotes_are_missing() {
    pin!(by_both(
        "def f():
    \"\"\"No end
    os.setsid()  # detached-spawn: ok — a
    x = 1  # detached-spawn: ok
    # detached-spawn: ok — b

def g():
    os.setsid()  # detached-spawn: ok — c

def h():
    x = 1  # detached-spawn: ok — d
"
    ));
}

#[test]
fn markers_where_a_bracket_is_missing() {
    pin!(by_both(
        "f(
x = 1  # detached-spawn: ok — a
os.setsid()

g(x)  # detached-spawn: ok — b
os.setsid()  # detached-spawn: ok — c
import os
os.setpgrp()  # detached-spawn: ok — d
"
    ));
}

/// None of these hits is accepted, and each is told why.
const MALFORMED: [&str; 29] = [
    "detached-spawn: ok",
    "detached-spawn: ok.",
    "detached-spawn: ok —",
    "detached-spawn: ok ---  ",
    "detached-spawn: ok — –",
    "detached-spawn: ok -- - —",
    "detached-spawn: ok – updater",
    "detached-spawn: ok − updater",
    "detached-spawn: ok: updater",
    "detached-spawn: ok updater",
    "detached-spawn: ok, updater — restarts us",
    "Detached-Spawn: OK — updater",
    "DETACHED-SPAWN: OK",
    "detached-spawn ok — updater",
    "detached-spawn:ok — updater",
    "detached-spawn:ok: updater",
    "detached-spawn:  ok — updater",
    "detached-spawn : ok - updater",
    "detached spawn: ok — updater",
    "detached_spawn: ok — updater",
    "detached spawn ok — updater",
    "detatched-spawn: ok — updater",
    "detached-spwan: ok — updater",
    "deatched-spawn: ok - updater",
    "detached-spawns: okay — updater",
    "detached-spawn: okay",
    "noqa: S603 detatched-spawn: ok — updater",
    "noqa # detatched-spawn: ok updater",
    "TODO(me): detached-spawn: ok",
];

/// No marker was meant, as far as can be told.
const OTHER_COMMENTS: [&str; 9] = [
    "detached-spawn",
    "detached spawns are not okay here",
    "detached spawn is ok — no, it is not",
    "see `detached-spawn: ok` in README",
    "a detached-spawn: ok marker goes here",
    "a spawn: ok — by us",
    "attached-spawn: never — no",
    "the detached spawn: oklahoma",
    "a detached-spawn: okayed one — of ours",
];

fn one_a_line<'a>(comments: impl IntoIterator<Item = &'a str>) -> String {
    comments.into_iter().map(|comment| format!("os.setsid()  # {comment}\n")).collect()
}

#[test]
fn markers_that_do_not_count() {
    let text = one_a_line(MALFORMED);
    for table in ["", STATEMENT] {
        let repository = Repository::new(&[("run.py", &text), ("pyproject.toml", &policy(table))]);
        let shown = repository.lint(&["--strict-markers"]);
        for line in 1..=MALFORMED.len() {
            let told = shown.lines().filter(|shown| shown.starts_with(&format!("run.py:{line}: "))).count();
            assert_eq!(told, 2, "a hit and a marker are wrong on line {line}");
        }
        if table.is_empty() {
            pin!(shown);
        }
    }
}

#[test]
fn comments_that_are_no_markers() {
    pin!(Repository::new(&[("run.py", &one_a_line(OTHER_COMMENTS))]).lint(&["--strict-markers"]));
}

/// What is wrong with markers fails only the run that asks for it, beside what else is wrong.
#[test]
fn strict_markers() {
    let files = [
        ("marked.py", MARKED),
        ("unused.py", "# detached-spawn: ok — nothing is here any more\nx = 1\n"),
        ("text.py", "\"\"\"Markers: # detached-spawn: ok — why\"\"\"\nx = '# detached-spawn: ok'\n"),
        ("malformed.py", "x = 1  # detached-spawn ok — no needle is in this file\n"),
        ("two.py", "# detached-spawn: ok — one\nos.setsid()  # detached-spawn: ok — two\n"),
        ("tests/unused.py", "# detached-spawn: ok — not checked\n"),
    ];
    let repository = Repository::new(&files);
    let mut all = String::new();
    for arguments in [&[][..], &["--strict-markers"], &["--strict-markers", "marked.py", "text.py"]] {
        all += &format!("=== {arguments:?}\n{}", repository.lint(arguments));
    }
    repository.write("spawn.py", SPAWN);
    repository.write("pyproject.toml", policy("[tool.lint-spawns.baseline]\n'gone.py' = 1\n"));
    repository.track();
    for arguments in [&["--strict-markers", "--strict-baseline"][..], &["--strict-markers", "--print-baseline"]] {
        all += &format!("=== {arguments:?}\n{}", repository.lint(arguments));
    }
    pin!(all);
}

#[test]
fn strict_markers_in_statements() {
    let text = "# detached-spawn: ok — of no statement

os.setsid(
    # detached-spawn: ok — one
)  # detached-spawn: ok — two
x = 1  # detached-spawn: ok — leaks no more
os.setsid()
";
    let table = policy(STATEMENT);
    let repository = Repository::new(&[("run.py", text), ("pyproject.toml", &table)]);
    pin!(repository.lint(&["--strict-markers"]));
}

/// The rules in force decide, and what `precise` drops needs no marker.
#[test]
fn strict_markers_and_rules() {
    let files = [
        ("session.py", "f(start_new_session=True)  # detached-spawn: ok — a\n"),
        ("alias.py", "from os import setsid\nsetsid()  # detached-spawn: ok — b\n"),
        ("dropped.py", "f(start_new_session='')  # detached-spawn: ok — c\n"),
    ];
    let repository = Repository::new(&files);
    let mut all = String::new();
    for arguments in [&[][..], &["--select", "all"], &["--select", "os-setsid"], &["--precise"]] {
        let shown = repository.lint(&[&["--strict-markers"], arguments].concat());
        all += &format!("=== {arguments:?}\n{shown}");
    }
    pin!(all);
}

#[test]
fn markers_in_json() {
    let repository = Repository::new(&[
        ("run.py", "os.setsid()  # Detached-spawn: ok — a\n\nx = 1  # detached-spawn: ok — b\n"),
        ("marked.py", MARKED),
        ("pyproject.toml", &policy("[tool.lint-spawns.baseline]\n'run.py' = 1\n")),
    ]);
    let runs = [&["--format", "json"][..], &["--format", "json", "--strict-markers"]];
    pin!(runs.map(|arguments| repository.lint(arguments)).concat());
}

/// The marker's text is taken as it is, whatever it means elsewhere.
#[test]
fn markers_of_ones_own() {
    let mut all = String::new();
    for (marker, comments) in [
        ("spawn.ok? (yes|no) [a-z]+", &["spawn.ok? (yes|no) [a-z]+ — a", "spawnXok yes a — a", "spawn.ok? — a"][..]),
        ("détaché : permis", &["détaché : permis — a", "DÉTACHÉ : PERMIS — a", "detache : permis — a", "permis — a"]),
        ("@owned", &["@owned — a", "see @Owned - a", "me@owned: a", "owned — a"]),
        ("# spawn", &["# spawn — a", "#spawn — a", "spawn — a"]),
        ("ok", &["ok — a", "OK — a", "ok", "all is ok", "okay — a", "no"]),
        ("ok: ", &["ok: — a", "ok:— a", "ok — a"]),
    ] {
        let text = one_a_line(comments.iter().copied()).replace('\n', "\n\n");
        for mode in ["reference", "statement"] {
            let table = policy(&format!("marker = '{marker}'\nmarkers = '{mode}'\n"));
            let repository = Repository::new(&[("run.py", &text), ("pyproject.toml", &table)]);
            let shown = repository.lint(&["--strict-markers"]);
            let lines = shown.lines().filter(|line| line.starts_with("run.py:"));
            all += &format!("=== {marker:?} {mode}\n{}\n", lines.collect::<Vec<_>>().join("\n"));
        }
    }
    pin!(all);
}

#[test]
fn markers_cannot_forge_output() {
    let text = "os.setsid()  # detached-spawn: ok\u{1b}[2K: ##[error]\u{202e}x\n\
                x = 1  # detached-spawn\u{1b}: ok — \u{9b}##vso[x]\u{2028}y\n";
    let repository = Repository::new(&[("::error::\u{1b}.py", text)]);
    let runs = [&["--strict-markers"][..], &["--format", "json"]];
    pin!(runs.map(|arguments| repository.lint(arguments)).concat());
}

/// The same by both kinds of markers.
fn listed(repository: &Repository, arguments: &[&str]) -> String {
    let mut all = String::new();
    for table in ["", STATEMENT] {
        repository.write("policy.toml", table);
        let shown = repository.lint(&[&["markers"], arguments, &["--config", "policy.toml"]].concat());
        all += &format!("=== {arguments:?} {table:?}\n{shown}");
    }
    all
}

fn marked_repository() -> Repository {
    let call = "subprocess.Popen(\n    start_new_session=os.setsid(),\n    process_group=0,\n)  # detached-spawn: ok — the call";
    let files = [
        ("agent/call.py", call),
        (
            "agent/above.py",
            "\u{feff}# detached-spawn: ok - öffnet\r\n# ein Terminal\r\n\r\n\tos.setsid() # detached-spawn: ok -- ↻\r\nos.setpgrp()\r\n",
        ),
        (
            "agent/form_feed.py",
            "\x0c# detached-spawn: ok — a\t b\n\x0cif x: os.setsid()\rx = 1\x0c\n# detached-spawn: ok — z \t\n",
        ),
        ("text.py", "'''\n# detached-spawn: ok — text'''\nos.setsid()\n\n'''# detached-spawn: ok — text'''\n"),
        ("meant.py", "# detached-spawn: ok: colon\nos.setsid()\n"),
        ("tests/run.py", MARKED),
        ("clean.py", "x = 1\n"),
    ];
    Repository::new(&files)
}

#[test]
fn markers_list() {
    let repository = marked_repository();
    let runs = [&[][..], &["list", "agent", "./text.py"], &["--select", "start-new-session"], &["clean.py"]];
    pin!(runs.map(|arguments| listed(&repository, arguments)).concat());
}

#[test]
fn markers_list_in_json() {
    let runs =
        [&["list", "--format", "json", "agent/call.py", "text.py", "meant.py"][..], &["--format=json", "gone.py"]];
    let repository = marked_repository();
    pin!(runs.map(|arguments| listed(&repository, arguments)).concat());
}

/// The list is there although something is missing, and says so by its exit code.
#[test]
fn markers_list_of_what_cannot_be_checked() {
    let repository = marked_repository();
    repository.write("wide.py", b"\xff\xfe");
    repository.write("notes.txt", "");
    repository.track();
    let runs = [&["list", "wide.py", "text.py"][..], &["wide.py"], &["notes.txt"], &["tests"], &["--root", "gone"]];
    let run =
        |arguments: &[&str]| format!("=== {arguments:?}\n{}", repository.lint(&[&["markers"], arguments].concat()));
    pin!(runs.map(run).concat() + &Repository::new(&[("notes.txt", "")]).lint(&["markers"]));
}

#[test]
fn markers_list_cannot_be_forged() {
    let text = "os.setsid()  # detached-spawn: ok — \u{1b}[2K##[error]x\u{202e}  [nothing]\n::error::x\n";
    let repository = Repository::new(&[("::error::\u{1b}\n.py", text)]);
    pin!(["text", "json"].map(|format| repository.lint(&["markers", "--format", format])).concat());
}

#[test]
fn markers_help() {
    let repository = Repository::without_git(&[]);
    let runs = [&["markers", "--help"][..], &["markers", "list", "--help"], &["markers", "--all"]];
    pin!(runs.map(|arguments| repository.lint(arguments)).concat());
}

#[test]
fn files_that_are_named_like_a_verb_of_markers() {
    let repository = Repository::new(&[("markers/run.py", MARKED), ("list/run.py", MARKED), ("run.py", "")]);
    let runs = [
        &["./markers"][..],
        &["--", "markers"],
        &["markers", "./list"],
        &["markers", "list", "list"],
        &["markers", "run.py", "list"],
        &["markers", "markers"],
        &["markers", "--", "list"],
    ];
    pin!(runs.map(|arguments| format!("=== {arguments:?}\n{}", repository.lint(arguments))).concat());
}
