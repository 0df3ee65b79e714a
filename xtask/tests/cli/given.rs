//! What the command line gives: standard input, lists of files; and how much is said of it.

use super::repository::{Repository, policy};
use super::{MARKED, SPAWN};

/// A policy, a spawn that it tolerates, a clean file, and tests.
fn repository() -> Repository {
    Repository::new(&[
        (
            "pyproject.toml",
            &policy("include = [\"src\"]\n[tool.lint-spawns.baseline]\n\"src/old.py\" = 1\n\"src/gone.py\" = 1\n"),
        ),
        ("src/old.py", SPAWN),
        ("src/clean.py", "pass\n"),
        ("src/new.py", SPAWN),
        ("tests/test_it.py", SPAWN),
    ])
}

/// Whole runs, one after the other.
fn all(runs: &[(&str, String)]) -> String {
    runs.iter().map(|(what, run)| format!("===== {what}\n{run}")).collect()
}

#[test]
fn standard_input_is_checked_like_a_file() {
    let repository = repository();
    pin!(all(&[
        ("unnamed", repository.lint_input(SPAWN, &["-"])),
        ("unnamed and clean", repository.lint_input(MARKED, &["-"])),
        ("empty", repository.lint_input("", &["-"])),
        ("named, and not there", repository.lint_input(SPAWN, &["-", "--stdin-filename", "src/not_yet.py"])),
        ("in a folder that is not there", repository.lint_input(SPAWN, &["-", "--stdin-filename", "src/sub/a.py"])),
        ("named alone", repository.lint_input(SPAWN, &["--stdin-filename", "src/clean.py"])),
        ("as its absolute path", {
            let name = repository.path().join("src/clean.py");
            repository.lint_input(SPAWN, &["-", "--stdin-filename", name.as_str()])
        }),
        ("the content counts, not the file", repository.lint_input("pass\n", &["-", "--stdin-filename", "src/new.py"])),
        ("excluded", repository.lint_input(SPAWN, &["-", "--stdin-filename", "tests/test_it.py"])),
        ("excluded, and not there", repository.lint_input(SPAWN, &["-", "--stdin-filename", "tests/new/a.py"])),
        ("no Python", repository.lint_input(SPAWN, &["-", "--stdin-filename", "src/README.md"])),
        ("as json", repository.lint_input(SPAWN, &["-", "--stdin-filename", "src/a.py", "--format", "json"])),
        ("odd text", repository.lint_input(b"\xef\xbb\xbff(\xff\r\nprocess_group=0)\r", &["-"])),
        ("UTF-16", repository.lint_input(b"\xff\xfef\0", &["-"])),
    ]));
}

#[test]
fn standard_input_beside_other_paths() {
    let repository = repository();
    let named =
        |more: &[&str]| repository.lint_input("\n\n\n", &[&["-", "--stdin-filename", "src/new.py"], more].concat());
    pin!(all(&[
        ("another file", repository.lint_input(SPAWN, &["src/new.py", "-"])),
        ("the file that it stands for", named(&["src/new.py"])),
        ("the folder of that file", named(&["src"])),
        ("the folder, by the baseline", named(&["src", "--with-baseline"])),
        ("twice", repository.lint_input(SPAWN, &["-", "-"])),
    ]));
}

#[test]
fn standard_input_by_the_baseline() {
    let repository = repository();
    let lint = |text: &str, more: &[&str]| {
        repository.lint_input(text, &[&["-", "--stdin-filename", "src/old.py"], more].concat())
    };
    pin!(all(&[
        ("as PATHS", lint(SPAWN, &[])),
        ("tolerated", lint(SPAWN, &["--with-baseline"])),
        ("one more", lint(&SPAWN.repeat(2), &["--with-baseline"])),
        ("mended", lint("", &["--with-baseline", "--strict-baseline"])),
        ("its table", lint(SPAWN, &["--print-baseline"])),
    ]));
}

#[test]
fn standard_input_from_a_folder_and_without_a_repository() {
    let repository = repository();
    let outside = Repository::without_git(&[]);
    let named = |repository: &Repository, name: &str| {
        let mut command = repository.command();
        // An empty file.
        command.args(["-", "--stdin-filename", name, "--format", "json"]).stdin(std::process::Stdio::null());
        command
    };
    pin!(all(&[
        ("in a folder", repository.run(named(&repository, "new.py").current_dir(repository.path().join("src")))),
        ("above the folder", repository.run(named(&repository, "../a.py").current_dir(repository.path().join("src")))),
        ("a folder as its name", repository.run(&mut named(&repository, "src"))),
        ("no repository", outside.lint_input(SPAWN, &["-", "--stdin-filename", "a.py"])),
        ("no repository, and a root", outside.lint_input(SPAWN, &["-", "--root", "."])),
    ]));
}

#[cfg(unix)]
#[test]
fn standard_input_that_stands_for_a_link() {
    let repository = repository();
    std::os::unix::fs::symlink("src/new.py", repository.path().join("link.py")).unwrap();
    std::os::unix::fs::symlink("tests/test_it.py", repository.path().join("excluded.py")).unwrap();
    std::os::unix::fs::symlink("gone.py", repository.path().join("dangling.py")).unwrap();
    pin!(all(&[
        ("a link", repository.lint_input(SPAWN, &["-", "--stdin-filename", "link.py"])),
        ("a link to what is excluded", repository.lint_input(SPAWN, &["-", "--stdin-filename", "excluded.py"])),
        ("a link to nothing", repository.lint_input(SPAWN, &["-", "--stdin-filename", "dangling.py"])),
    ]));
}

#[test]
fn standard_input_is_used_once_and_as_it_should_be() {
    let repository = repository();
    pin!(all(&[
        ("a name for nothing", repository.lint_input(SPAWN, &["src/new.py", "--stdin-filename", "a.py"])),
        (
            "a name for the list",
            repository.lint_input("src/new.py", &["--files-from", "-", "--stdin-filename", "a.py"])
        ),
        ("a list and a file", repository.lint_input(SPAWN, &["-", "--files-from", "-"])),
        ("beside --staged", repository.lint_input(SPAWN, &["-", "--staged"])),
        ("a name beside --changed", repository.lint_input(SPAWN, &["--changed", "--stdin-filename", "a.py"])),
        ("a list beside --staged", repository.lint_input(SPAWN, &["--staged", "--files-from", "list"])),
        ("to be marked", repository.lint_input(SPAWN, &["markers", "add", "because", "-"])),
    ]));
}

#[test]
fn markers_of_standard_input() {
    let repository = repository();
    pin!(repository.lint_input(MARKED, &["markers", "list", "-", "--stdin-filename", "src/a.py"]));
}

#[test]
fn a_file_called_dash() {
    let repository = repository();
    repository.write("-", SPAWN);
    pin!(all(&[
        ("by its path", repository.lint_input("", &["./-"])),
        ("in a list", repository.lint_input("-\n", &["--files-from", "-"])),
    ]));
}

#[test]
fn a_list_of_files() {
    let repository = repository();
    repository.write("lines", "src/new.py\nsrc/clean.py\n");
    repository.write("windows", "\u{feff}src/new.py\r\n\r\nsrc/clean.py");
    repository.write("nul", "src/new.py\0src/clean.py\0");
    let from = |list: &str| repository.lint(&["--files-from", list]);
    pin!(all(&[
        ("one on a line", from("lines")),
        ("as Windows writes it, and with an empty line", from("windows")),
        ("NUL", from("nul")),
        ("from standard input", repository.lint_input("src/new.py\0", &["--files-from", "-"])),
        ("relative to the current folder", repository.lint_in("src", &["--files-from", "../lines"])),
        ("and PATHS", repository.lint(&["--files-from", "lines", "src/old.py"])),
        ("a folder, and what is excluded", repository.lint_input("src\ntests/test_it.py\n", &["--files-from", "-"])),
        ("by the baseline", repository.lint_input("src/old.py\n", &["--files-from", "-", "--with-baseline"])),
        ("its baseline", repository.lint_input("src/old.py\n", &["--files-from", "-", "--print-baseline"])),
        ("its markers", repository.lint_input("src/old.py\n", &["markers", "--files-from", "-"])),
    ]));
}

#[test]
fn a_list_with_awkward_names() {
    let repository = repository();
    repository.write("src/two\nlines.py", SPAWN);
    repository.write("src/ä b.py", SPAWN);
    repository.write("src/ends in space.py ", SPAWN);
    pin!(all(&[
        ("a line break", repository.lint_input("src/two\nlines.py\0", &["--files-from", "-"])),
        ("space", repository.lint_input("src/ä b.py\nsrc/ends in space.py \n", &["--files-from", "-"])),
        ("not UTF-8", repository.lint_input(b"src/new.py\nsrc/\xff.py\n", &["--files-from", "-"])),
        ("looks like an option", repository.lint_input("--all\n", &["--files-from", "-"])),
    ]));
}

#[test]
fn a_list_that_names_nothing_to_check() {
    let repository = repository();
    let from = |list: &str| repository.lint_input(list, &["--files-from", "-"]);
    pin!(all(&[
        ("empty", from("")),
        ("an empty line", from("\n")),
        ("excluded", from("tests/test_it.py\n")),
        ("not there", from("src/new.py\nsrc/moved.py\n")),
        ("as json", repository.lint_input("", &["--files-from", "-", "--format", "json"])),
        ("no list", repository.lint(&["--files-from", "missing"])),
        ("a folder for a list", repository.lint(&["--files-from", "src"])),
        ("markers of it", repository.lint_input("", &["markers", "list", "--files-from", "-"])),
        ("to be marked", repository.lint_input("", &["markers", "add", "because", "--files-from", "-"])),
    ]));
}

#[test]
fn quiet_prints_what_fails_the_run() {
    let repository = repository();
    repository.write("src/odd.py", "f(process_group=\n# detached-spawn: ok\n");
    repository.track();
    let clean = Repository::new(&[("a.py", MARKED)]);
    pin!(all(&[
        ("problems", repository.lint(&["--quiet"])),
        ("more of them", repository.lint(&["-q", "--strict-baseline", "--strict-markers"])),
        ("clean", clean.lint(&["--quiet"])),
        ("nothing to check", repository.lint(&["--quiet", "tests/test_it.py"])),
        ("what is not there", repository.lint(&["--quiet", "missing.py", "src/new.py"])),
        ("json is whole", clean.lint(&["--quiet", "--format", "json"])),
        ("a baseline", repository.lint(&["--quiet", "--print-baseline"])),
    ]));
}

#[test]
fn exit_zero_is_for_problems() {
    let repository = repository();
    pin!(all(&[
        ("problems", repository.lint(&["--exit-zero", "--strict-baseline"])),
        ("in few words", repository.lint(&["--exit-zero", "-q"])),
        ("as ruff spells them", repository.lint(&["-eq", "--output-format", "github"])),
        ("what is not there", repository.lint(&["--exit-zero", "missing.py", "src/new.py"])),
        ("wrong usage", repository.lint(&["--exit-zero", "--select", "nothing-like-it"])),
    ]));
}

/// A shell makes that of a variable which is not set; it must not be the current folder, nor a full run.
#[test]
fn empty_names() {
    let repository = repository();
    let all: [&[&str]; 7] = [
        &[""],
        &["src/new.py", ""],
        &["--files-from", ""],
        &["-", "--stdin-filename", ""],
        &["--root", ""],
        &["--config="],
        &["markers", "list", ""],
    ];
    pin!(all.map(|arguments| format!("===== {arguments:?}\n{}", repository.lint(arguments))).concat());
}
