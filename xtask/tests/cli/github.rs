//! Problems that GitHub shows in their places.

use std::collections::BTreeMap;

use crate::repository::{Repository, policy};
use crate::{MARKED, SPAWN};

fn lint(repository: &Repository, arguments: &[&str]) -> String {
    repository.lint_as("github", arguments)
}

#[test]
fn github() {
    let repository = Repository::new(&[
        ("marked.py", MARKED),
        ("meant.py", "# detached-spawn: ok\nos.setsid()\n"),
        ("over.py", &SPAWN.repeat(2)),
        ("several.py", "\tf(process_group=0, preexec_fn=os.setsid,\n\t  start_new_session=g(\n1))  # é\n"),
        ("string.py", "x = f'''\n{f(start_new_session=True)}\n'''\n"),
        ("tolerated.py", SPAWN),
        ("unparsable.py", "os.setsid(\n"),
        ("pyproject.toml", &policy("advice = '100 %'\nbaseline = { 'over.py' = 1, 'tolerated.py' = 1 }\n")),
    ]);
    let all: [&[&str]; 4] = [&[], &["--quiet"], &["marked.py"], &["--all", "--exit-zero"]];
    pin!(all.map(|arguments| lint(&repository, arguments)).concat());
}

#[test]
fn github_of_markers_and_entries_that_are_wrong() {
    let table = "include = ['.', 'gone']\n[tool.lint-spawns.baseline]\n'gone.py' = 2\n'run.py' = { 'a, b: c' = 1 }\n";
    let repository = Repository::new(&[
        ("run.py", "f(start_new_session=False)  # detached-spawn: ok - it is none\n# detached-spawn: ok\n"),
        ("pyproject.toml", &policy(table)),
        ("notes.txt", ""),
    ]);
    let all: [&[&str]; 4] = [
        &[],
        &["--strict-markers", "--strict-baseline"],
        &["--strict-markers", "--strict-baseline", "--quiet"],
        &["run.py", "notes.txt"],
    ];
    let mut all = all.map(|arguments| lint(&repository, arguments)).concat();
    repository.write("wide.py", b"\xff\xfe");
    repository.track();
    all += &lint(&repository, &[]);
    pin!(all);
}

/// Files are called what GitHub calls them, wherever the root and the current folder are.
#[test]
fn github_below_the_top() {
    let repository = Repository::new(&[
        ("run.py", SPAWN),
        ("app/run.py", SPAWN),
        ("app/Cargo.toml", "[workspace.metadata.lint-spawns.baseline]\n\"gone.py\" = 1\n"),
        ("ci/policy.toml", "baseline.\"gone.py\" = 2\n"),
    ]);
    let outside = Repository::without_git(&[("run.py", SPAWN)]);
    let mut all = lint(&repository, &["--root", "app", "--strict-baseline", "--quiet"]);
    let policy = ["--config", "../ci/policy.toml", "--strict-baseline", "--quiet", "--format", "github"];
    all += &repository.lint_in("app", &policy);
    all += &lint(&repository, &["--root", "app", "run.py", "--quiet"]);
    let path = outside.path().join("run.py");
    all += &lint(&repository, &["--quiet", path.as_str()]).replace(outside.path().as_str(), "OUTSIDE");
    all += &lint(&outside, &["--quiet", "run.py"]);
    pin!(all);
}

#[test]
fn github_of_nothing_and_of_what_cannot_be_checked() {
    let repository = Repository::new(&[("tests/run.py", SPAWN), ("marked.py", MARKED), ("spawn.py", SPAWN)]);
    repository.write("wide%.py", b"\xff\xfe");
    repository.track();
    let all: [&[&str]; 4] = [&["tests"], &["wide%.py", "marked.py"], &["wide%.py", "spawn.py"], &["gone.py", "tests"]];
    pin!(all.map(|arguments| lint(&repository, arguments)).concat());
}

/// A command as GitHub reads it: name, properties, message.
fn read(command: &str) -> (String, BTreeMap<String, String>, String) {
    let unescaped = |text: &str| text.replace("%0D", "\r").replace("%0A", "\n");
    let (name, message) = command.strip_prefix("::").unwrap().split_once("::").unwrap();
    let (name, properties) = name.split_once(' ').unwrap();
    let property = |text: &str| {
        let (key, value) = text.split_once('=').unwrap();
        (key.to_owned(), unescaped(value).replace("%3A", ":").replace("%2C", ",").replace("%25", "%"))
    };
    (name.to_owned(), properties.trim().split(',').map(property).collect(), unescaped(message).replace("%25", "%"))
}

#[cfg(unix)]
#[test]
fn github_reads_back_awkward_names() {
    let names = [
        "%0A%25%2C.py",
        "::error file=a.py,line=1::all is well.py",
        "a,b: c;d=e.py",
        "a\nb\r\n::error::c.py",
        " begins with a blank.py",
        "tab\t.py",
        "é漢\u{1f980}.py",
    ];
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, SPAWN)).collect();
    let repository = Repository::new(&files);
    let shown = lint(&repository, &["--quiet"]);
    let commands = shown.lines().filter(|line| line.starts_with("::")).map(read);
    let mut found: Vec<String> = commands
        .map(|(name, properties, message)| {
            assert_eq!((name.as_str(), properties["line"].as_str()), ("error", "2"));
            assert!(message.contains(":2:43: start-new-session\nThe child is"), "{message}");
            properties["file"].clone()
        })
        .collect();
    found.sort();
    let mut expected = names.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
    pin!(shown);
}

#[cfg(unix)]
#[test]
fn github_cannot_be_forged() {
    let name = "a\u{1b}[2K\n::error::b\u{202e}##vso[x].py";
    let source = "x, os.setsid( # \u{1b}\n::error::y ##[error]\n";
    let table = "marker = \"ok\\r::error::##vso[x]\"\nadvice = \"a\\n::error::b ##[x]\\u001b\"\n[tool.lint-spawns.baseline]\n\"::gone\\n\" = 1\n";
    let repository = Repository::new(&[(name, source), ("::error::x\n.txt", ""), ("pyproject.toml", &policy(table))]);
    pin!(lint(&repository, &["--strict-baseline"]) + &lint(&repository, &["::error::x\n.txt", "gone\n::error::x.py"]));
}
