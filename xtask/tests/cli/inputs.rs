//! Files that cannot be checked, and files that only look so.

use std::fs;

use crate::repository::{ENOUGH, Repository, policy};
use crate::{MARKED, SPAWN};

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_opened() {
    use crate::repository::fifo;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    let names = ["folder.py", "fifo.py", "socket.py", "excluded/tests/fifo.py"];
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "x = 1\n")).collect();
    files.push(("run.py", MARKED));
    let repository = Repository::new(&files);
    let root = repository.path();
    symlink("/dev/zero", root.join("device.py")).unwrap();
    symlink("loop.py", root.join("loop.py")).unwrap();
    symlink("excluded", root.join("folder_link.py")).unwrap();
    repository.track();
    for name in names {
        fs::remove_file(root.join(name)).unwrap();
    }
    fs::create_dir(root.join("folder.py")).unwrap();
    fifo(&root.join("fifo.py"));
    fifo(&root.join("excluded/tests/fifo.py"));
    let _socket = UnixListener::bind(root.join("socket.py")).unwrap();
    let arguments = ["fifo.py", "socket.py", "device.py", "loop.py", "/dev/zero", "/dev/null", "run.py"];
    let all =
        [repository.lint(&[]), repository.lint(&arguments), repository.lint(&["fifo.py"]), repository.lint(&["."])];
    pin!(all.join("=== paths\n"));
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_repository() {
    use std::os::unix::fs::symlink;
    let other = Repository::without_git(&[("other.py", SPAWN), ("tests/marked.py", MARKED)]);
    let repository = Repository::new(&[]);
    symlink(other.path().join("other.py"), repository.path().join("link.py")).unwrap();
    symlink(other.path().join("tests"), repository.path().join("folder")).unwrap();
    repository.track();
    let mut all = String::new();
    for arguments in [&[][..], &["link.py"], &["folder/marked.py"], &["folder"]] {
        let shown = repository.lint(arguments).replace(other.path().as_str(), "OTHER");
        all += &format!("=== {arguments:?}\n{shown}");
    }
    pin!(all);
}

/// git still lists what was below the folder. What is there now is reported by its real name, and once.
#[cfg(unix)]
#[test]
fn a_folder_that_became_a_link() {
    use std::os::unix::fs::symlink;
    let repository = Repository::new(&[
        ("old/run.py", SPAWN),
        ("old/deep/run.py", SPAWN),
        ("old/deep/gone.py", SPAWN),
        ("new/run.py", SPAWN),
        ("new/deep/run.py", SPAWN),
        ("flat/run.py", SPAWN),
    ]);
    fs::remove_dir_all(repository.path().join("old")).unwrap();
    symlink("new", repository.path().join("old")).unwrap();
    fs::remove_dir_all(repository.path().join("flat")).unwrap();
    repository.write("flat", "no folder any more");
    pin!(repository.lint(&[]));
}

#[test]
fn all_that_is_tracked_is_deleted() {
    let repository = Repository::new(&[("a/run.py", SPAWN), ("b.py", SPAWN)]);
    fs::remove_dir_all(repository.path().join("a")).unwrap();
    fs::remove_file(repository.path().join("b.py")).unwrap();
    fs::create_dir(repository.path().join("a")).unwrap();
    let mut all = String::new();
    for arguments in [&[][..], &["a"], &["b.py"]] {
        all += &format!("=== {arguments:?}\n{}", repository.lint(arguments));
    }
    pin!(all);
}

/// What vanishes after git has listed it counts as deleted, but not if it was asked for by name. The git of this test
/// deletes: it is called after `named.py` was found.
#[cfg(unix)]
#[test]
fn files_that_vanish() {
    let files = [("named.py", SPAWN), ("folder/run.py", SPAWN), ("folder/marked.py", MARKED)];
    let script = r#"git "$@"; status=$?; case "$*" in *ls-files*) rm -f named.py folder/run.py;; esac; exit $status"#;
    let mut all = String::new();
    for arguments in [&["--root", "."][..], &["--root", ".", "named.py", "folder"]] {
        let shown = Repository::new(&files).lint_with_git(script, ENOUGH, arguments);
        all += &format!("=== {arguments:?}\n{shown}");
    }
    pin!(all);
}

#[test]
fn odd_names() {
    let names = [
        " leading space.py",
        "-dash.py",
        "--help.py",
        "quote'\".py",
        "back\\slash.py",
        "new\nline.py",
        "dollar $HOME `id`.py",
        "ünï/日本語.py",
        "*.py",
        "[a].py",
        ":(exclude)a.py",
        "#!.py",
        "😀.py",
    ];
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, SPAWN)).collect();
    let repository = Repository::new(&files);
    let all = [
        repository.lint(&[]),
        repository.lint(&["./-dash.py", " leading space.py", "new\nline.py"]),
        repository.lint(&["--", "-dash.py", "--help.py"]),
        repository.lint(&["ünï", "*.py"]),
        repository.lint(&["--print-baseline"]),
    ];
    pin!(all.join("=== paths\n"));
    let printed = repository.command().arg("--print-baseline").output().unwrap();
    repository.write("pyproject.toml", printed.stdout);
    let read_back = repository.lint(&["--strict-baseline"]);
    assert!(read_back.starts_with("exit code: 0\n"), "{read_back}");
}

#[test]
fn odd_names_in_include() {
    let repository = Repository::new(&[
        ("new\nline/run.py", SPAWN),
        ("*/run.py", SPAWN),
        ("b/run.py", SPAWN),
        ("pyproject.toml", &policy("include = [\"new\\nline\", '*', \"gone\\n::error::x\", '-x']\n")),
    ]);
    pin!(repository.lint(&[]));
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;
    let name = |bytes: &'static [u8]| Path::new(OsStr::from_bytes(bytes));
    let fill = |repository: &Repository| {
        for path in [&b"caf\xe9.py"[..], b"a/\xff\n/run.py", b"b/\xff.txt", b"b/tests/\xff.py", b"b/test_\xff.py"] {
            repository.write(name(path), SPAWN);
        }
    };
    let mut all = String::new();
    for repository in [Repository::new(&[("b/run.py", MARKED)]), Repository::without_git(&[("b/run.py", MARKED)])] {
        fill(&repository);
        if repository.path().join(".git").exists() {
            repository.track();
            all += &format!("=== all\n{}", repository.lint(&[]));
        }
        for arguments in [["a"], ["b"]] {
            all += &format!("=== {arguments:?}\n{}", repository.lint(&arguments));
        }
        for arguments in [&[name(b"caf\xe9.py")][..], &[Path::new("--root"), name(b"a/\xff\n")]] {
            all += &format!("=== {arguments:?}\n{}", repository.run(repository.command().args(arguments)));
        }
        let mut inside = repository.command();
        inside.current_dir(repository.path().as_std_path().join(name(b"a/\xff\n")));
        all += &format!("=== in the folder\n{}", repository.run(&mut inside));
    }
    pin!(all);
}

#[test]
fn odd_contents() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let contents: [(&str, Vec<u8>); 14] = [
        ("empty", b"".into()),
        ("only a byte order mark", b"\xef\xbb\xbf".into()),
        ("no last line break", SPAWN.trim_end().into()),
        ("a byte order mark", format!("\u{feff}{SPAWN}").into()),
        ("Latin-1", [b"# -*- coding: latin-1 -*-\n# caf\xe9\n", SPAWN.as_bytes()].concat()),
        ("UTF-16 with its mark", [b"\xff\xfe", utf16(SPAWN).as_slice()].concat()),
        ("UTF-16 with its mark and nothing else", b"\xff\xfe".into()),
        ("UTF-16 of the other order", b"\xfe\xff\0x".into()),
        ("UTF-16 without a mark", utf16(SPAWN)),
        ("UTF-16 after much UTF-8", [b"x = 1\n".repeat(3000), utf16(SPAWN)].concat()),
        ("NUL bytes", b"x = '\0'\n".into()),
        ("NUL bytes beside a spawn", [SPAWN.as_bytes(), b"# \0\n"].concat()),
        ("a program", b"\x7fELF\x02\x01\x01\0\0\0".into()),
        ("noise without a NUL", (1..=255).cycle().take(5000).collect()),
    ];
    let mut all = String::new();
    for (what, bytes) in contents {
        let repository = Repository::new(&[]);
        repository.write("run.py", bytes);
        repository.track();
        all += &format!("=== {what}\n{}", repository.lint(&[]));
    }
    pin!(all);
}

#[test]
fn a_sparse_checkout() {
    let repository = Repository::new(&[("in/run.py", MARKED), ("out/run.py", SPAWN), ("out/tests/run.py", SPAWN)]);
    repository.git(&["commit", "--quiet", "-m", "all"]);
    repository.git(&["sparse-checkout", "set", "--cone", "in"]);
    let only_out = "include = ['out']\n";
    repository.write("out.toml", only_out);
    let mut all = String::new();
    for arguments in [&[][..], &["--config", "out.toml"], &["."], &["out"], &["out/run.py"]] {
        all += &format!("=== {arguments:?}\n{}", repository.lint(arguments));
    }
    pin!(all);
}

#[test]
fn a_submodule() {
    let part = Repository::new(&[("deep/run.py", SPAWN)]);
    part.git(&["commit", "--quiet", "-m", "all"]);
    let repository = Repository::new(&[("run.py", MARKED)]);
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part.path().as_str(), "part"]
        .map(str::to_owned);
    repository.git(&add.each_ref().map(String::as_str));
    repository.write("notes.txt", "");
    let mut all = String::new();
    for (include, arguments) in [
        ("['.']", &[][..]),
        ("['part']", &[]),
        ("['part/deep']", &[]),
        ("['part/deep/run.py', 'run.py']", &[]),
        ("['.']\nexclude = ['part']", &[]),
        ("['.']", &["."]),
        ("['.']", &["part"]),
        ("['.']", &["part/deep/run.py"]),
        ("['.']", &["--root", "part"]),
    ] {
        repository.write("pyproject.toml", policy(&format!("include = {include}\n")));
        all += &format!("=== {include:?}: {arguments:?}\n{}", repository.lint(arguments));
    }
    pin!(all);
}

/// git lists an untracked repository as one folder. Nothing else is there, so nothing was looked at.
#[test]
fn a_repository_inside() {
    let repository = Repository::new(&[("notes.txt", "")]);
    repository.write("vendor/part/run.py", SPAWN);
    repository.git(&["-C", "vendor/part", "init", "--quiet"]);
    repository.git(&["-C", "vendor/part", "add", "."]);
    repository.git(&["-C", "vendor/part", "commit", "--quiet", "-m", "all"]);
    let mut all = String::new();
    for arguments in [&["vendor"][..], &["vendor", "notes.txt"], &["vendor/part"]] {
        all += &format!("=== {arguments:?}\n{}", repository.lint(arguments));
    }
    pin!(all);
}
