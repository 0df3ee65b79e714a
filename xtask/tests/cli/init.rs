//! `lint-spawns init`.

use std::fs;
use std::process::Command;

use crate::baseline::functions;
use crate::markers_add::{bytes, changes};
use crate::repository::{Repository, scrub};
use crate::{MARKED, SPAWN};

const PROJECT: &str = "[project]\nname = \"a\"  # its name\n";
const WORKSPACE: &str = "[workspace]\nmembers = [\"xtask\"]\n";
const PACKAGE: &str = "[package]\nname = \"a\"\nversion = \"0.1.0\"\n";

fn init(repository: &Repository, arguments: &[&str]) -> String {
    let shown = repository.lint(&[&["init"], arguments].concat());
    let files = repository.path().read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned());
    assert_eq!(files.filter(|file| file.contains("lint-spawns-")).count(), 0, "a draft is left");
    format!("=== init {arguments:?}\n{shown}")
}

/// What a policy is good for: the next run is clean, and all of its baseline is needed.
fn check(repository: &Repository, arguments: &[&str]) -> String {
    let arguments = [&["--strict-baseline"], arguments].concat();
    format!("=== {arguments:?}\n{}", repository.lint(&arguments))
}

/// A run in a repository with one spawn and these files beside it, and what it changed.
fn init_beside(files: &[(&str, &str)], arguments: &[&str]) -> String {
    let repository = Repository::new(&[&[("run.py", SPAWN)], files].concat());
    let shown = init(&repository, arguments);
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    format!("##### beside {names:?}\n{shown}{}", new_lines(&repository))
}

/// The lines that are not as git tracks them, but for those that every first policy has.
fn new_lines(repository: &Repository) -> String {
    let changes = changes(repository);
    let new = fs::read_to_string(repository.path().join("pyproject.toml")).unwrap_or_default();
    let is_short = |line: &&str| line.starts_with(['?', '+', '-', '=']) && !line.starts_with("+#") && line.len() > 1;
    let lines = changes.lines().filter(is_short).map(|line| format!("{line}\n"));
    let untracked = changes.contains("?? pyproject.toml");
    let new = new.lines().filter(|line| untracked && line.starts_with('[')).map(|line| format!("{line}\n"));
    lines.chain(new).collect()
}

#[test]
fn init_writes_a_policy() {
    let repository = Repository::new(&[
        ("pyproject.toml", PROJECT),
        ("agent/shell.py", &functions(&[("start", 1), ("watch", 2)])),
        ("agent/marked.py", MARKED),
        ("agent/tests/shell.py", SPAWN),
        ("agent/vendor/other.py", SPAWN),
        ("cli.py", "x = 1\n"),
        ("conftest.py", SPAWN),
        ("gateway/broken.py", "f(start_new_session=\n"),
        ("notes.txt", SPAWN),
        ("tests/test_cli.py", SPAWN),
    ]);
    repository.write("untracked.py", SPAWN);
    repository.write("vendor/untracked.py", SPAWN);
    let first = init(&repository, &[]) + &changes(&repository) + &check(&repository, &[]);
    pin!(first + &init(&repository, &[]) + &init(&repository, &["--dry-run"]));
}

#[test]
fn init_where_nothing_is_found() {
    let repository = Repository::new(&[("pyproject.toml", PROJECT), ("run.py", "x = 1\n")]);
    let first = init(&repository, &[]) + &changes(&repository) + &check(&repository, &[]);
    repository.write("run.py", SPAWN);
    let grown = repository.lint(&["baseline", "write"]);
    pin!(format!("{first}=== baseline write, with a new spawn\n{grown}"));
}

/// A workspace is not made of a mere package, and a project with setup.py is not built in another way.
#[test]
fn init_chooses_a_file() {
    let cases: [&[(&str, &str)]; 8] = [
        &[("pyproject.toml", PROJECT)],
        &[("Cargo.toml", WORKSPACE)],
        &[("Cargo.toml", "package = { name = \"a\" }\nworkspace.members = [\"xtask\"]\n")],
        &[("Cargo.toml", PACKAGE)],
        &[("Cargo.toml", PACKAGE), ("pyproject.toml", PROJECT)],
        &[("Cargo.toml", WORKSPACE), ("pyproject.toml", PROJECT)],
        &[],
        &[("setup.py", "")],
    ];
    let mut all: String = cases.map(|files| init_beside(files, &[])).concat();
    all += &init_beside(&[("setup.py", "")], &["--config", "pyproject.toml"]);
    all += &init_beside(&[("Cargo.toml", WORKSPACE), ("pyproject.toml", PROJECT)], &["--config", "Cargo.toml"]);
    let repository = Repository::new(&[("sub/run.py", SPAWN), ("setup.py", ""), ("sub/setup.py", "")]);
    all += &format!("##### seen from a folder\n{}", repository.lint_in("sub", &["init"]));
    all += &repository.lint(&["init", "--root", "sub"]);
    all += &init_beside(&[("Cargo.toml", PACKAGE)], &["--config", "Cargo.toml"]);
    all += &init_beside(&[], &["--config", "Cargo.toml"]);
    pin!(all);
}

#[test]
fn init_finds_any_policy() {
    let tables = [
        "[other]\n\n[tool.lint-spawns]\n",
        "[tool.lint-spawns]\nunknown = 1\n",
        "[tool]\nlint-spawns = {}\n",
        "[tool]\nother = 1\nlint-spawns.include = ['a']\n",
        "tool.lint-spawns.include = ['a']\n",
        "tool = { 'lint-spawns' = { include = ['a'] } }\n",
        "[[tool.lint-spawns]]\n",
        "[tool]\nlint-spawns = 1\n",
        "\n[tool.\"lint-spawns\".baseline]\n'run.py' = 1\n",
        "\u{feff}[tool . lint-spawns]\r\n",
        "[workspace.metadata.lint-spawns]\n",
        "[workspace]\nmembers = []\nmetadata.lint-spawns = {}\n",
        "[workspace]\nmembers = []\n\n[workspace.metadata]\nlint-spawns = { include = ['a'] }\n",
    ];
    let mut all = String::new();
    for table in tables {
        let name = if table.contains("workspace") { "Cargo.toml" } else { "pyproject.toml" };
        let repository = Repository::new(&[("run.py", SPAWN), (name, table)]);
        all += &format!("##### {name}: {table:?}\n{}", init(&repository, &[]));
        assert_eq!(changes(&repository), "=== what has changed\n");
    }
    pin!(all);
}

/// Wherever it would go itself.
#[test]
fn init_finds_a_policy_in_the_other_file() {
    let policies = [
        [("Cargo.toml", "[workspace.metadata.lint-spawns]\n"), ("pyproject.toml", PROJECT)],
        [("Cargo.toml", WORKSPACE), ("pyproject.toml", "[tool.lint-spawns]\n")],
    ];
    let mut all = String::new();
    for files in policies {
        for arguments in [&[][..], &["--dry-run"], &["--config", "Cargo.toml"], &["--config", "./pyproject.toml"]] {
            all += &init_beside(&files, arguments);
        }
    }
    pin!(all);
}

#[test]
fn init_writes_a_file_of_its_own() {
    let repository =
        Repository::new(&[("run.py", SPAWN), ("pyproject.toml", "[tool.lint-spawns]\n"), ("sub/a.py", "")]);
    let own = ["--config", "sub/our policy.toml"];
    let first = init(&repository, &own) + &bytes(&repository, "sub/our policy.toml") + &check(&repository, &own);
    let project = ["--config", "sub/pyproject.toml"];
    let elsewhere = init(&repository, &project) + &check(&repository, &project);
    repository.remove("sub/pyproject.toml");
    let in_root = init(&repository, &["--root", "sub", "--config", "sub/pyproject.toml"]);
    pin!(first + &init(&repository, &own) + &elsewhere + &in_root);
}

#[test]
fn init_of_a_file_of_its_own_that_is_there() {
    let mut all = String::new();
    for text in ["", "\n \r\n", "\u{feff}", "include = ['a']\n", "\n\n# a comment\n", "\u{feff}\r\n[tool.ruff]\r\n"] {
        let repository = Repository::new(&[("run.py", SPAWN), ("policy.toml", text)]);
        all += &format!("##### {text:?}\n{}", init(&repository, &["--config", "policy.toml"]));
        match fs::read_to_string(repository.path().join("policy.toml")).unwrap() {
            same if same == text => all += "=== unchanged\n",
            new => {
                let begins: Vec<&str> = new.split_inclusive('\n').take(3).collect();
                all += &format!("=== {begins:?}\n{}", check(&repository, &["--config", "policy.toml"]));
            }
        }
    }
    pin!(all);
}

#[test]
fn init_of_a_file_that_cannot_be() {
    let repository = Repository::new(&[("run.py", SPAWN), ("sub/a.py", "")]);
    let configs = ["missing/policy.toml", "run.py/policy.toml", "sub", "..", "/", "", "missing/pyproject.toml"];
    let all = configs.map(|config| init(&repository, &["--config", config]));
    pin!(all.concat() + &changes(&repository));
}

/// Line ends, byte order marks and missing line ends stay as they are.
#[test]
fn init_keeps_bytes() {
    let mut all = String::new();
    for text in ["[a]\r\nb = 1 # c\r\n", "[a]\nb = 1", "[a]\r\nb = 1", "\u{feff}[a]\nb = '''\r\n'''\n", "", "# a\n\n\n"]
    {
        let repository = Repository::new(&[("run.py", SPAWN), ("pyproject.toml", text)]);
        repository.commit();
        let patch = repository.command().args(["init", "--dry-run"]).output().unwrap().stdout;
        let shown = init(&repository, &[]) + &check(&repository, &[]);
        let new = fs::read_to_string(repository.path().join("pyproject.toml")).unwrap();
        assert!(new.starts_with(text));
        let crlf = new[text.len()..].matches("\r\n").count();
        let (lines, begins) = (new[text.len()..].matches('\n').count(), new[text.len()..].lines().take(2));
        all += &format!("##### {text:?}\n{shown}=== {crlf} of {lines} new lines end in CRLF\n");
        all += &format!("{:?}\n", begins.collect::<Vec<_>>());
        applies(&repository, &patch);
    }
    pin!(all);
}

/// That git makes of the commit what is there now.
fn applies(repository: &Repository, patch: &[u8]) {
    let now = || {
        repository.git(&["add", "--intent-to-add", "."]);
        repository.try_git(&["diff", "--binary"]).stdout
    };
    let written = now();
    repository.git(&["reset", "--quiet", "--hard"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("patch");
    fs::write(&path, patch).unwrap();
    repository.git(&["apply", "--whitespace=nowarn", path.to_str().unwrap()]);
    assert!(now() == written && !written.is_empty(), "{}", patch.escape_ascii());
}

#[test]
fn init_that_writes_nothing() {
    let mut all = String::new();
    for (files, arguments) in [
        (&[("pyproject.toml", PROJECT)][..], &["--dry-run"][..]),
        (&[], &["--dry-run"]),
        (&[("sub/empty.toml", "")], &["--dry-run", "--config", "sub/empty.toml"]),
        (&[("sub/a.py", "")], &["--dry-run", "--config", "sub/\"our\"\té.toml"]),
    ] {
        let repository = Repository::new(&[&[("run.py", SPAWN)], files].concat());
        repository.commit();
        all += &init(&repository, arguments);
        assert_eq!(changes(&repository), "=== what has changed\n");
        let patch = repository.command().arg("init").args(arguments).output().unwrap().stdout;
        init(&repository, &arguments[1..]);
        applies(&repository, &patch);
    }
    pin!(all);
}

#[test]
fn init_of_awkward_names() {
    let spawns = functions(&[("é", 1), ("b", 1)]);
    let repository = Repository::new(&[
        ("\"quoted\" \\.py", &spawns),
        ("a name/\u{1b}[2K.py", &spawns),
        ("vendor/\u{1b}[2K\u{202e}.py", &spawns),
        ("##vso[a]/é\n[tool.lint-spawns]\n.py", &spawns),
        ("::error::/a.py", &spawns),
        ("\u{7f}\u{2028}/[*].py", &spawns),
    ]);
    let first = init(&repository, &[]) + &bytes(&repository, "pyproject.toml") + &check(&repository, &[]);
    let glob = init(&repository, &["--config", "a name/'x' \u{1b}$y.toml", "--exclude", "\u{1b}*#é"]);
    pin!(first + &glob + &bytes(&repository, "a name/'x' \u{1b}$y.toml"));
}

#[test]
fn init_in_a_folder() {
    let repository = Repository::new(&[("sub/deep/a.py", SPAWN), ("b.py", SPAWN), ("pyproject.toml", PROJECT)]);
    let all = [
        init(&repository, &["--root", "sub"]),
        changes(&repository),
        check(&repository, &["--root", "sub"]),
        format!("=== in sub/deep\n{}", repository.lint_in("sub/deep", &["init"])),
        check(&repository, &[]),
    ];
    pin!(all.concat());
}

#[test]
fn init_without_python() {
    let elsewhere = Repository::without_git(&[("run.py", SPAWN)]);
    let cases: [(&str, &[(&str, &str)]); 3] = [
        ("no Python", &[("notes.txt", "")]),
        ("tests and the code of others", &[("tests/a.py", ""), ("vendor/b.py", ""), ("c_test.py", "")]),
        ("a file that is deleted", &[("gone.py", "")]),
    ];
    let mut all = format!("##### no repository\n{}{}", init(&elsewhere, &[]), init(&elsewhere, &["--root", "."]));
    for (what, files) in cases {
        let repository = Repository::new(files);
        let _ = fs::remove_file(repository.path().join("gone.py"));
        repository.write("untracked.py", SPAWN);
        all += &format!("##### {what}\n{}", init(&repository, &[]));
        assert!(!repository.path().join("pyproject.toml").exists());
    }
    let bare = Repository::without_git(&[]);
    bare.git(&["init", "--quiet", "--bare"]);
    pin!(format!("{all}##### a bare repository\n{}", init(&bare, &["--root", "."])));
}

/// What cannot be read is found in none of them.
#[test]
fn init_of_what_cannot_be_checked() {
    let repository = Repository::new(&[("run.py", SPAWN), ("data/b.py", "")]);
    repository.write("data/wide.py", "\u{feff}x = 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>());
    repository.track();
    let refused = init(&repository, &[]) + &init(&repository, &["--dry-run"]) + &changes(&repository);
    let arguments = ["--exclude", "tests", "--exclude", "data/w*", "--exclude", "docs"];
    pin!(refused + &init(&repository, &arguments) + &bytes(&repository, "pyproject.toml") + &check(&repository, &[]));
}

#[test]
fn init_with_chosen_rules() {
    let text = "import pty\npty.fork()\nos.setsid()\nf(start_new_session=True)\nf(process_group=-1)\n";
    let repository = Repository::new(&[("run.py", text)]);
    let bad = [
        &["--select", "setsid"][..],
        &["--ignore", "all"],
        &["--select", "detach-helper"],
        &["--exclude", "a["],
        &["--exclude", ""],
        &["--exclude", "/"],
        &["--markers"],
        &["a.py"],
    ];
    let refused = bad.map(|arguments| init(&repository, arguments)).concat() + &changes(&repository);
    let chosen = init(&repository, &["--select", "default,pty-spawn", "--ignore", "os-setsid", "--precise", "-j1"]);
    pin!(refused + &chosen + &bytes(&repository, "pyproject.toml") + &check(&repository, &[]));
}

#[test]
fn init_of_files_that_take_no_table() {
    let mut all = String::new();
    for text in [
        "a = [\n  1,\n",
        "[a]\nb = 1\nb = 2\n",
        "a = '\u{1}'\n",
        "tool = { ruff = {} }\n",
        "# a\ntool = 1\n",
        "[[tool]]\na = 1\n",
        "[tool.other]\n\n[[tool.ruff]]\na = 1\n",
        "[tool]\nruff.a = 1\n",
    ] {
        let repository = Repository::new(&[("run.py", SPAWN), ("pyproject.toml", text)]);
        all += &format!("##### {text:?}\n{}{}", init(&repository, &[]), new_lines(&repository));
    }
    for text in ["workspace = { members = [] }\n", "[workspace]\nmetadata = { a = 1 }\n", "[workspace\n"] {
        let repository = Repository::new(&[("run.py", SPAWN), ("Cargo.toml", text)]);
        all += &format!("##### Cargo.toml {text:?}\n{}{}", init(&repository, &[]), new_lines(&repository));
    }
    let repository = Repository::new(&[("run.py", SPAWN)]);
    repository.write("pyproject.toml", b"a = '\xe9'\n");
    pin!(all + "##### not UTF-8\n" + &init(&repository, &[]));
}

/// What is in them is not known, and not what the next full checkout has.
#[test]
fn init_where_files_are_missing() {
    let part = Repository::new(&[("inner.py", SPAWN)]);
    part.commit();
    let repository =
        Repository::new(&[("in/a.py", SPAWN), ("out/b.py", SPAWN), ("run.py", SPAWN), ("pyproject.toml", PROJECT)]);
    let path = part.path();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", path.as_str(), "part"];
    repository.git(&add);
    repository.commit();
    repository.git(&["sparse-checkout", "set", "--no-cone", "/in", "/run.py"]);
    let refused = init(&repository, &[]);
    repository.git(&["sparse-checkout", "set", "--no-cone", "/in", "/run.py", "/pyproject.toml"]);
    let all = refused + &init(&repository, &[]) + &new_lines(&repository);
    repository.git(&["checkout", "--quiet", "--", "pyproject.toml"]);
    pin!(all + &init(&repository, &["--exclude", "part", "--exclude", "out"]) + &check(&repository, &[]));
}

#[test]
fn init_help() {
    pin!(init(&Repository::without_git(&[]), &["--help"]));
}

/// Its hints are for the program that was called.
#[test]
fn init_by_the_program_alone() {
    let repository = Repository::new(&[("run.py", SPAWN), ("setup.py", "")]);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lint-spawns"));
        scrub(command.current_dir(repository.path())).arg("init").args(arguments);
        format!("=== init {arguments:?}\n{}", repository.run(&mut command))
    };
    let all = run(&[]) + &run(&["--config", "lint.toml"]) + &bytes(&repository, "lint.toml");
    pin!(all + &run(&["--config", "lint.toml"]));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::repository::as_ordinary_user;

    #[test]
    fn init_behind_links() {
        let repository = Repository::new(&[("run.py", SPAWN), ("conf/project.toml", PROJECT), ("sub/a.py", "")]);
        symlink("conf/project.toml", repository.path().join("pyproject.toml")).unwrap();
        symlink("gone.toml", repository.path().join("sub/pyproject.toml")).unwrap();
        repository.commit();
        let patch = repository.command().args(["init", "--dry-run"]).output().unwrap().stdout;
        let all = init(&repository, &[]) + &new_lines(&repository) + &check(&repository, &[]);
        applies(&repository, &patch);
        pin!(all + &init(&repository, &["--root", "sub"]) + &init(&repository, &["--config", "sub/pyproject.toml"]));
    }

    #[test]
    fn init_where_nothing_may_be_written() {
        let repository = Repository::new(&[("a/run.py", SPAWN), ("b/run.py", SPAWN), ("b/pyproject.toml", PROJECT)]);
        repository.write("c/pyproject.toml", PROJECT);
        repository.write("c/run.py", SPAWN);
        repository.write("d/run.py", SPAWN);
        repository.track();
        let set = |path: &str, mode| {
            fs::set_permissions(repository.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        let modes = [("a", 0o555), ("b/pyproject.toml", 0o444), ("c/pyproject.toml", 0o000), ("d/run.py", 0o000)];
        for (path, mode) in modes {
            set(path, mode);
        }
        let mut all = String::new();
        for folder in ["a", "b", "c", "d"] {
            let shown = as_ordinary_user(&repository, repository.command().args(["init", "--root", folder]));
            all += &format!("=== {folder}\n{shown}");
        }
        for (path, _) in modes {
            set(path, 0o755);
        }
        let texts =
            ["b/pyproject.toml", "c/pyproject.toml"].map(|path| fs::read(repository.path().join(path)).unwrap());
        assert!(texts.iter().all(|text| text == PROJECT.as_bytes()));
        assert!(!["a", "d"].iter().any(|folder| repository.path().join(folder).join("pyproject.toml").exists()));
        pin!(all);
    }
}
