//! `cargo xtask bench`. The figures themselves are not tested.

use std::fmt::Write as _;
use std::process::Command;

use camino::Utf8Path;
use rustpython_parser::{Parse as _, ast};
use xtask::bench::monorepo::{self, Planted};
use xtask::lint_spawns::check::Checker;
use xtask::lint_spawns::policy::Policy;

use crate::SPAWN;
use crate::repository::{Repository, policy, scrub};

const XTASK: &str = env!("CARGO_BIN_EXE_xtask");

/// `cargo xtask bench` in the repository, with a target folder there.
fn command(repository: &Repository, arguments: &[&str]) -> Command {
    let mut command = Command::new(XTASK);
    command.arg("bench").args(arguments).current_dir(repository.path());
    command.env("CARGO_TARGET_DIR", repository.path().join("target"));
    scrub(&mut command);
    command
}

/// A run without its figures.
fn run(repository: &Repository, command: &mut Command) -> String {
    let shown = repository.run(command).replace(XTASK, "XTASK");
    // A slow machine tells more often how far it is.
    let shown = regex::Regex::new("(?m)^bench: .*, [0-9]+ done\n").unwrap().replace_all(&shown, "").into_owned();
    let figures = regex::Regex::new("(?m) {2,}[0-9.]+ ms .* ([01])$").unwrap();
    figures.replace_all(&shown, "  FIGURES  $1").into_owned()
}

#[test]
fn bench_help() {
    let repository = Repository::without_git(&[]);
    pin!(run(&repository, &mut command(&repository, &["--help"])));
}

#[cfg(unix)]
#[test]
fn bench_of_a_generated_monorepo() {
    let repository = Repository::without_git(&[]);
    // Without ripgrep, be it installed or not.
    let path = std::env::var_os("PATH").unwrap();
    let git = std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.is_file()).unwrap();
    std::os::unix::fs::symlink(git, repository.path().join("git")).unwrap();
    let arguments = ["--files", "20", "--runs", "1", "--binary", XTASK, "--vs", "git --version"];
    let mut bench = command(&repository, &arguments);
    bench.env("PATH", repository.path());
    let all = [
        run(&repository, &mut bench),
        run(&repository, &mut bench),
        repository.lint(&["--root", "target/bench/monorepo-20"]),
    ];
    pin!(all.join("=== once more, and what is in it\n"));
}

#[test]
fn bench_of_a_repository() {
    let files = [
        ("app/run.py", SPAWN),
        ("app/tests/run.py", SPAWN),
        ("elsewhere/run.py", SPAWN),
        ("lint.toml", "include = ['app', 'gone']\n"),
        ("pyproject.toml", &policy("not-a-key = 1\n")),
    ];
    let repository = Repository::new(&files);
    let arguments = ["--root", ".", "--config", "lint.toml", "--runs", "2", "--binary", XTASK];
    let mut bench = command(&repository, &arguments);
    let shown = run(&repository, bench.args(["--vs", "git grep 'no such' -- '*.toml'"]));
    pin!(regex::Regex::new("(?m)^(rg -lF).*$").unwrap().replace(&shown, "$1 FIGURES, or is not installed"));
}

#[test]
fn bench_that_cannot_be_done() {
    let repository = Repository::new(&[("run.py", SPAWN)]);
    let mut all = String::new();
    for arguments in [
        &["--root", ".", "--vs", "'git grep"][..],
        &["--root", ".", "--vs", " "],
        &["--root", ".", "--binary", XTASK, "--vs", "no-such-program --fast 'a b'"],
        &["--root", ".", "--binary", XTASK, "--vs", "git grep -e"],
        &["--root", ".", "--binary", "gone/xtask"],
        &["--root", ".", "--config", "gone.toml"],
        &["--root", ".", "--files", "10"],
        &["--files", "0"],
    ] {
        let shown = run(&repository, &mut command(&repository, arguments));
        let _ = write!(all, "=== {}\n{shown}", arguments.join(" ").replace(XTASK, "XTASK"));
    }
    pin!(all);
}

#[test]
fn bench_outside_any_repository() {
    let repository = Repository::without_git(&[("run.py", SPAWN)]);
    pin!(run(&repository, &mut command(&repository, &["--root", "."])));
}

/// When this changes, `monorepo::VERSION` has to.
#[test]
fn bench_generates_the_same_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let policy = Policy::load(Utf8Path::from_path(folder.path()).unwrap(), None).unwrap();
    let checker = Checker::new(&policy).unwrap();
    let (mut bytes, mut digest) = (0, 0_u64);
    let mut planted = [(Planted::Spawn, 0), (Planted::Mention, 0), (Planted::LongerName, 0), (Planted::Nothing, 0)];
    for index in 0..1_200 {
        let module = monorepo::module(index);
        assert_eq!(checker.check(module.text.as_bytes()).len(), usize::from(module.planted == Planted::Spawn));
        assert!(!policy.exclude.matches(&module.path), "{}", module.path);
        if module.text.len() < 5_000 {
            assert!(ast::Suite::parse(&module.text, "").is_ok(), "no Python:\n{}", module.text);
        }
        bytes += module.text.len();
        for byte in module.path.as_str().bytes().chain(module.text.bytes()) {
            digest = digest.wrapping_mul(31).wrapping_add(u64::from(byte));
        }
        for (kind, count) in &mut planted {
            *count += usize::from(*kind == module.planted);
        }
    }
    let shortest = (0..1_200).map(monorepo::module).filter(|module| module.planted == Planted::Spawn);
    let shortest = shortest.min_by_key(|module| module.text.len()).unwrap();
    pin!(format!(
        "version {}: {bytes} bytes, digest {digest:x}\n{planted:?}\n===== {}\n{}",
        monorepo::VERSION,
        shortest.path,
        shortest.text
    ));
}
