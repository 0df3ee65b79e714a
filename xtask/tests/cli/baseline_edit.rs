//! The baseline as the policy file holds it, written and pruned.

use std::fs;

use crate::baseline::{functions, tolerating};
use crate::repository::{Repository, policy};
use crate::{MARKED, SPAWN};

/// A run of `baseline`, and the policy file after it.
fn edit(repository: &Repository, arguments: &[&str]) -> String {
    edit_file(repository, "pyproject.toml", arguments)
}

fn edit_file(repository: &Repository, name: &str, arguments: &[&str]) -> String {
    let path = repository.path().join(name);
    let before = fs::read(&path).unwrap();
    let shown = repository.lint(&[&["baseline"], arguments].concat());
    let after = fs::read(&path).unwrap();
    let text = match after == before {
        true => "as it was\n".to_owned(),
        false => String::from_utf8(after).unwrap(),
    };
    let files: Vec<_> =
        repository.path().read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned()).collect();
    assert!(!files.iter().any(|file| file.contains("lint-spawns-")), "a draft is left: {files:?}");
    format!("=== {arguments:?}\n{shown}----- {name}\n{text}")
}

/// Files whose entries are right, too high, too low, missing and left over, in both forms.
fn mixed_repository() -> Repository {
    Repository::new(&[
        ("a.py", &functions(&[("f", 1), ("g", 1)])),
        ("b.py", &functions(&[("f", 2), ("g", 1)])),
        ("c.py", &functions(&[("f", 1)])),
        ("d.py", "x = 1\n"),
        ("marked.py", MARKED),
        ("new.py", &format!("{SPAWN}class A:\n    def f(self):\n        os.setsid()\n")),
        ("plain.py", &functions(&[("f", 1), ("g", 1)])),
        (
            "pyproject.toml",
            "# The project.\n[project]\nname = 'a'   # its name\n\n\
             [tool.lint-spawns.baseline] # only ever lower\n# Right as they are.\n'a.py' = { g = 1, f = 1 }  # both\n\
             # Too high.\n\"b.py\" = { f = 0x3, \"g\" = 1, gone = 1 } # soon\n'c.py'   =   2   # one is gone\n\n\
             # This one goes with its comment.\n'd.py' = 1\n\n'gone.py' = { f = 1, g = 2 }\n'plain.py' = 2\n\n\
             [tool.lint-spawns]\nadvice = 'ask us.'\n\n[tool.other]\nkey = [\n  1,\n]\n",
        ),
    ])
}

#[test]
fn prune() {
    let repository = mixed_repository();
    pin!(edit(&repository, &["prune"]) + &edit(&repository, &["prune"]));
}

#[test]
fn write() {
    let repository = mixed_repository();
    let all = edit(&repository, &["write"]) + &edit(&repository, &["write", "--accept-new"]);
    let again = edit(&repository, &["write"]) + &edit(&repository, &["prune"]);
    pin!(all + &again + &repository.lint(&["--strict-baseline"]));
}

/// A policy without a baseline gets one; an empty one has been decided on.
#[test]
fn the_first_baseline() {
    let mut all = String::new();
    for policy in [
        policy("advice = 'ask us.'"),
        policy("advice = 'ask us.'\n"),
        tolerating(""),
        "[tool.lint-spawns.baseline]\n# none\n\n[other]\n".to_owned(),
        "[tool]\nlint-spawns = {}\n".to_owned(),
        "[tool.lint-spawns]\nbaseline = {}\n".to_owned(),
    ] {
        let repository =
            Repository::new(&[("a.py", SPAWN), ("b.py", &functions(&[("f", 1)])), ("pyproject.toml", &policy)]);
        all += &format!("=== {policy:?}\n{}", edit(&repository, &["write"]));
        all += &edit(&repository, &["write", "--accept-new"]);
    }
    pin!(all);
}

#[test]
fn nothing_to_tolerate() {
    let repository = Repository::new(&[("a.py", MARKED), ("pyproject.toml", &policy("advice = 'ask us.'\n"))]);
    pin!(edit(&repository, &["write"]) + &edit(&repository, &["prune"]));
}

#[test]
fn a_baseline_without_a_policy_file() {
    let repository = Repository::new(&[("a.py", SPAWN)]);
    let all = repository.lint(&["baseline", "write"]);
    repository.write("Cargo.toml", "[package]\n");
    pin!(all + &repository.lint(&["baseline", "prune"]));
}

#[test]
fn baselines_in_other_files() {
    let repository = Repository::new(&[
        ("a.py", &functions(&[("f", 1), ("g", 1)])),
        ("Cargo.toml", "[workspace]\nmembers = []\n\n[workspace.metadata.lint-spawns]\n"),
        ("policy.toml", "advice = 'ask us.'\n"),
        ("pyproject.toml", "[tool.other]\n"),
    ]);
    let mut all = edit_file(&repository, "Cargo.toml", &["write"]);
    all += &edit_file(&repository, "policy.toml", &["write", "--config", "policy.toml"]);
    repository.write("a.py", functions(&[("f", 1)]));
    all += &edit_file(&repository, "Cargo.toml", &["prune"]);
    all += &edit_file(&repository, "policy.toml", &["prune", "--config", "policy.toml"]);
    all += &edit_file(&repository, "policy.toml", &["prune", "--config", "policy.toml", "--ignore", "os-setsid"]);
    pin!(all);
}

/// What is found with other rules is another tree.
#[test]
fn a_baseline_of_other_rules() {
    let repository = Repository::new(&[
        ("a.py", "def f():\n    os.setsid()\n    g(process_group=0)\n    h(start_new_session=bool(0))\n"),
        ("pyproject.toml", &policy("")),
    ]);
    pin!(
        ["os-setsid", "process-group", "all", "default"]
            .map(|rule| edit(&repository, &["write", "--select", rule, "--accept-new"]))
            .concat()
            + &edit(&repository, &["prune", "--precise"])
    );
}

#[test]
fn line_ends_and_byte_order_marks_stay() {
    let repository = Repository::new(&[("a.py", &functions(&[("f", 1)])), ("b.py", SPAWN)]);
    let mut all = String::new();
    for text in [
        "\u{feff}[tool.lint-spawns.baseline]\r\n'a.py' = { f = 2, g = 1 }\r\n'gone.py' = 1\r\n'z.py' = 1",
        "\u{feff}[tool.lint-spawns]\r\n# one\r\n",
        "\u{feff}",
        "[tool.lint-spawns.baseline]\n'a.py' = 2\r\n\n'gone.py' = 1\r\n",
        "[tool.lint-spawns.baseline]\r\n'c.py' = 2",
    ] {
        let config = if text == "\u{feff}" { &["--config", "pyproject.toml"][..] } else { &[] };
        for verb in [&["prune"][..], &["write", "--accept-new"]] {
            repository.write("pyproject.toml", text);
            repository.lint(&[&["baseline"], verb, config].concat());
            let after = fs::read_to_string(repository.path().join("pyproject.toml")).unwrap();
            all += &format!("=== {verb:?}\n{text:?}\n{after:?}\n");
        }
    }
    pin!(all);
}

#[test]
fn spellings_of_a_baseline_that_is_edited() {
    let mut all = String::new();
    for text in [
        "[tool.lint-spawns.baseline.'a.py']  # a\nf = 3\ngone = 1\n\n[tool.lint-spawns.baseline.'z.py']\nf = 1\n\n[tool.x]\n",
        "[tool.lint-spawns.baseline]\n'a.py'.f = 3\n'a.py'.gone = 1\n'z.py'.f = 1\n",
        "[tool.lint-spawns]\nbaseline.'a.py' = 0x5\nbaseline.'z.py'.g = 1\nadvice = 'ask us.'\n",
        "[tool.lint-spawns]\nbaseline = { 'a.py' = { f = 2 }, 'z.py' = 1 }\n",
        "tool.lint-spawns.baseline.'a.py' = {\n  f = 3, # three\n  gone = 1,\n}\n\n[tool.lint-spawns.baseline.'z.py']\n",
        "[tool]\nlint-spawns = { advice = 'ask us.', baseline.'a.py' = 3 }\n",
        "[tool.lint-spawns.baseline]\n  'a.py' = 3\n\n  # A comment.\n\n  'z.py' = 1\n# The end.\n",
        "[tool.lint-spawns.baseline]\n'z.py' = 1\n'a.py' = 3\n'y.py' = 1\n",
    ] {
        let repository = Repository::new(&[
            ("a.py", &functions(&[("f", 2)])),
            ("b.py", &functions(&[("f", 1)])),
            ("pyproject.toml", text),
        ]);
        all += &format!("=== as it is\n{text}{}", edit(&repository, &["prune"]));
        all += &edit(&repository, &["write", "--accept-new"]);
        all += &edit(&repository, &["write", "--accept-new"]);
    }
    pin!(all);
}

#[test]
fn odd_names_in_a_baseline() {
    let class = "class Größe:\n    def f(self):\n        os.setsid()\n";
    let repository = Repository::new(&[("a \"b\" \\ é.py", class), ("#.py", SPAWN), ("pyproject.toml", &policy(""))]);
    #[cfg(unix)]
    repository.write("::error::\n\u{1b}\t##vso[x].py", SPAWN);
    repository.track();
    pin!(edit(&repository, &["write"]) + &repository.lint(&["--strict-baseline"]));
}

/// The entry of a renamed file moves, with its comment, and is lowered as any other.
#[test]
fn entries_of_renamed_files() {
    let text = functions(&[("f", 2), ("g", 1), ("c", 0), ("d", 0), ("e", 0)]);
    let other = "# other\n".repeat(20) + &text;
    let third = "# third\n".repeat(40) + &text;
    let before = "[tool.lint-spawns.baseline]\n'b.py' = { f = 2, g = 1 } # why\n\n'c.py' = 3 # near\n\n'd.py'.f = 2\n\n\
                  'e.py' = 1\n\n'm.py' = 1\n";
    let repository = Repository::new(&[
        ("b.py", &text),
        ("c.py", &other),
        ("d.py", &third),
        ("e.py", SPAWN),
        ("m.py", SPAWN),
        ("pyproject.toml", before),
    ]);
    repository.git(&["commit", "--quiet", "--message", "a"]);
    repository.git(&["mv", "b.py", "n.py"]);
    repository.git(&["mv", "c.py", "ca.py"]);
    repository.git(&["mv", "d.py", "z.py"]);
    repository.write("n.py", text.replacen("    os.setsid()\n", "", 1));
    fs::create_dir(repository.path().join("tests")).unwrap();
    repository.git(&["mv", "e.py", "tests/e.py"]);
    let pruned = edit(&repository, &["prune"]) + &edit(&repository, &["prune"]);
    repository.write("pyproject.toml", before);
    pin!(pruned + &edit(&repository, &["write"]) + &repository.lint(&["--strict-baseline"]));
}

#[cfg(unix)]
#[test]
fn a_baseline_without_renames() {
    use crate::repository::ENOUGH;
    let repository = Repository::new(&[("run.py", SPAWN), ("pyproject.toml", &tolerating("'gone.py' = 1\n"))]);
    let script = "case \"$*\" in *' diff-index '*) echo 'fatal: no' >&2; exit 128;; *) exec git \"$@\";; esac";
    pin!(repository.lint_with_git(script, ENOUGH, &["baseline", "prune"]));
}

/// Two branches that each mend a file merge without a conflict, whether the entries are lowered or go.
#[test]
fn branches_that_merge() {
    let files = ["a.py", "b.py", "c.py", "d.py"];
    let mut all = String::new();
    for (one, another) in [("a.py", "b.py"), ("b.py", "c.py"), ("c.py", "d.py"), ("a.py", "d.py")] {
        for left in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            let repository = Repository::new(&[("pyproject.toml", &policy("advice = 'ask us.'\n"))]);
            for file in files {
                repository.write(file, functions(&[("f", 2)]));
            }
            repository.track();
            repository.lint(&["baseline", "write"]);
            repository.git(&["add", "--all"]);
            repository.git(&["commit", "--quiet", "--message", "base"]);
            repository.git(&["branch", "other"]);
            for (file, left) in [(one, left[0]), (another, left[1])] {
                repository.write(file, functions(&[("f", left)]));
                repository.lint(&["baseline", "prune"]);
                repository.git(&["commit", "--quiet", "--all", "--message", file]);
                if file == one {
                    repository.git(&["checkout", "--quiet", "other"]);
                }
            }
            let merge = repository.try_git(&["merge", "--quiet", "--no-edit", "-"]);
            let strict = repository.lint(&["--strict-baseline"]);
            assert!(merge.status.success(), "{one} {another} {left:?}");
            assert!(strict.starts_with("exit code: 0\n"), "{one} {another} {left:?}: {strict}");
            if (one, left) == ("b.py", [0, 1]) {
                all = fs::read_to_string(repository.path().join("pyproject.toml")).unwrap() + &strict;
            }
        }
    }
    pin!(all);
}

/// Lines that touch are one place to git, as in a table that was pasted.
#[test]
fn branches_that_conflict() {
    let repository = Repository::new(&[
        ("a.py", SPAWN),
        ("b.py", SPAWN),
        ("c.py", SPAWN),
        ("pyproject.toml", &tolerating("'a.py' = 1\n'b.py' = 1\n'c.py' = 1\n")),
    ]);
    let mut all = String::new();
    repository.git(&["commit", "--quiet", "--message", "base"]);
    for other in ["b.py", "c.py"] {
        repository.git(&["checkout", "--quiet", "-b", other]);
        repository.write(other, "x = 1\n");
        all += &edit(&repository, &["prune"]);
        repository.git(&["commit", "--quiet", "--all", "--message", other]);
        repository.git(&["checkout", "--quiet", "-"]);
    }
    repository.write("a.py", "x = 1\n");
    all += &edit(&repository, &["prune"]);
    repository.git(&["commit", "--quiet", "--all", "--message", "a"]);
    for other in ["c.py", "b.py"] {
        let merge = repository.try_git(&["merge", "--quiet", "--no-edit", other]);
        all += &format!("=== {other}: {}\n", if merge.status.success() { "merged" } else { "a conflict" });
    }
    pin!(all);
}

#[test]
fn files_that_cannot_be_checked_keep_their_entries() {
    let repository =
        Repository::new(&[("a.py", SPAWN), ("pyproject.toml", &tolerating("'a.py' = 2\n'wide.py' = 1\n"))]);
    repository.write("wide.py", b"\xff\xfe");
    repository.track();
    let mut all = edit(&repository, &["prune"]) + &edit(&repository, &["write", "--accept-new"]);
    repository.git(&["rm", "--quiet", "--force", "*.py"]);
    all += &edit(&repository, &["prune"]);
    pin!(all);
}

#[test]
fn files_that_are_not_in_this_work_tree_keep_their_entries() {
    let repository = Repository::new(&[
        ("a.py", SPAWN),
        ("b.py", SPAWN),
        ("pyproject.toml", &tolerating("'a.py' = 2\n'b.py' = 1\n'gone.py' = 1\n")),
    ]);
    repository.git(&["update-index", "--skip-worktree", "b.py"]);
    fs::remove_file(repository.path().join("b.py")).unwrap();
    pin!(edit(&repository, &["prune"]) + &edit(&repository, &["write"]));
}

#[cfg(unix)]
#[test]
fn a_policy_file_that_is_a_link() {
    let repository = Repository::new(&[("a.py", SPAWN), ("real.toml", &tolerating("'a.py' = 2\n"))]);
    std::os::unix::fs::symlink("real.toml", repository.path().join("pyproject.toml")).unwrap();
    let all = edit(&repository, &["prune"]);
    let link = repository.path().join("pyproject.toml");
    pin!(
        all + &format!("still a link: {}\n", link.is_symlink())
            + &fs::read_to_string(repository.path().join("real.toml")).unwrap()
    );
}

#[cfg(unix)]
#[test]
fn permissions_of_a_policy_file_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let repository = Repository::new(&[("a.py", SPAWN), ("pyproject.toml", &tolerating("'a.py' = 2\n"))]);
    let path = repository.path().join("pyproject.toml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).unwrap();
    edit(&repository, &["prune"]);
    assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o7777, 0o664);
}

#[cfg(unix)]
#[test]
fn policy_files_that_may_not_be_written() {
    use crate::repository::as_ordinary_user;
    use std::os::unix::fs::PermissionsExt as _;
    let before = tolerating("'a.py' = 2\n");
    let repository = Repository::new(&[
        ("a.py", SPAWN),
        ("closed/a.py", SPAWN),
        ("closed/policy.toml", &before),
        ("pyproject.toml", &before),
    ]);
    let mut all = String::new();
    for (closed, mode, arguments) in [
        ("pyproject.toml", 0o444, &["baseline", "prune"][..]),
        ("closed", 0o555, &["baseline", "prune", "--config", "closed/policy.toml"]),
    ] {
        let path = repository.path().join(closed);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        all += &format!("=== {closed}\n{}", as_ordinary_user(&repository, repository.command().args(arguments)));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for path in ["pyproject.toml", "closed/policy.toml"] {
        assert_eq!(fs::read_to_string(repository.path().join(path)).unwrap(), before);
    }
    assert_eq!(fs::read_dir(repository.path().join("closed")).unwrap().count(), 2);
    pin!(all);
}

/// Who made it so does not want it written, not even by root.
#[cfg(unix)]
#[test]
fn a_policy_file_that_is_read_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let repository = Repository::new(&[("a.py", SPAWN), ("pyproject.toml", &tolerating("'a.py' = 2\n"))]);
    fs::set_permissions(repository.path().join("pyproject.toml"), fs::Permissions::from_mode(0o444)).unwrap();
    pin!(edit(&repository, &["prune"]) + &edit(&repository, &["write"]));
}

/// The limit stands for a full disk.
#[cfg(target_os = "linux")]
#[test]
fn no_room_for_a_policy_file() {
    let repository = Repository::new(&[("a.py", SPAWN), ("pyproject.toml", &tolerating("'a.py' = 2\n"))]);
    let mut shell = std::process::Command::new("sh");
    shell.args([
        "-c",
        "trap '' XFSZ; ulimit -f 0; exec \"$0\" lint-spawns baseline prune",
        env!("CARGO_BIN_EXE_xtask"),
    ]);
    let shown = repository.run(crate::repository::scrub(&mut shell).current_dir(repository.path()));
    pin!(shown + "=== and with room\n" + &edit(&repository, &["prune"]));
}

#[test]
fn help_on_baselines() {
    let repository = Repository::new(&[]);
    let arguments = [
        &["baseline"][..],
        &["baseline", "--help"],
        &["baseline", "write", "--help"],
        &["baseline", "prune", "--help"],
        &["baseline", "prune", "a.py"],
        &["baseline", "shrink"],
    ];
    pin!(arguments.map(|arguments| format!("=== {arguments:?}\n{}", repository.lint(arguments))).concat());
}
