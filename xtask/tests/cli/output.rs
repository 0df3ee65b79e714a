//! What is printed, and where.

use std::process::Command;

use crate::repository::{Repository, policy, shown};
use crate::{MARKED, SPAWN};

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

#[cfg(unix)]
#[test]
fn output_cannot_be_forged() {
    let spawn = |rest: &str| format!("f(start_new_session=True)  # {rest}\n");
    let files = [
        ("a\u{1b}[2K\rb.py", spawn("\u{1b}[2K\u{202e}\u{9b}2K\u{7f}\u{2028}\u{feff}")),
        ("a.py:1: x = 1\nb.py", spawn("a\ttab stays")),
        ("::error file=a.py,line=1::all is well.py", spawn("::warning::in the middle of a line")),
        (" \t::stop-commands::x.py", spawn("##[error]all is well")),
        ("##vso[task.complete result=Succeeded;]done.py", spawn("##vso[task.complete result=Succeeded;]done")),
        ("###[group]teamcity.py", spawn("##teamcity[buildStatus status='SUCCESS']")),
        ("# ## #[a].py", spawn("## heading ##; [x] ## [x] # [x]")),
        ("\u{202e}yp.txet\u{2069}.py", spawn("\u{200f}\u{61c}\u{2066}")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let repository = Repository::new(&files);
    let printed = repository.command().arg("--print-baseline").output().unwrap();
    let all = [repository.lint(&[]), repository.lint(&["--print-baseline"])];
    pin!(all.join("=== baseline\n"));
    repository.write("pyproject.toml", printed.stdout);
    let read_back = repository.lint(&["--strict-baseline"]);
    assert!(read_back.starts_with("exit code: 0\n"), "{read_back}");
}

#[test]
fn a_policy_cannot_forge_output() {
    let text = "\\n::error::x\\u001b[2K\\u202e ##[error]x";
    let table = format!(
        "marker = \"ok\\r::error::{}\"\nadvice = \"ask{text}\"\n[tool.lint-spawns.baseline]\n\"::gone{text}\" = 1\n",
        "##vso[x]"
    );
    let repository = Repository::new(&[("run.py", SPAWN), ("pyproject.toml", &policy(&table))]);
    repository.write("odd\n::error::\u{1b}.toml", "advice = 'ask us.'\n");
    let mut all = repository.lint(&[]) + &repository.lint(&["--config", "odd\n::error::\u{1b}.toml"]);
    for table in [
        "include = [\"a\\u001b\\n::error::x\", 1]\n",
        "\"\\u001b\\n::error::x ##[error]x\" = 1\n",
        "select = ['##[error]\u{202e}']\n",
    ] {
        repository.write("pyproject.toml", policy(table));
        all += &repository.lint(&[]);
    }
    pin!(all);
}

#[cfg(unix)]
#[test]
fn complaints_cannot_be_forged() {
    use std::os::unix::fs::symlink;
    let name = "new\n::error::\u{1b}[2K\u{202e} ##[error]x.py";
    let repository = Repository::new(&[("notes.txt", ""), ("tests/run.py", SPAWN)]);
    symlink("notes.txt", repository.path().join(name)).unwrap();
    symlink("/dev/null", repository.path().join(format!("null {name}"))).unwrap();
    repository.write(format!("wide {name}"), b"\xff\xfe");
    repository.write(format!("{name}.txt"), "");
    repository.write(format!("folder {name}/notes.txt"), "");
    repository.track();
    let mut all = repository.lint(&[]);
    for path in
        [name, &format!("{name}.txt"), &format!("missing {name}"), &format!("folder {name}"), &format!("null {name}")]
    {
        all += &repository.lint(&[path]);
    }
    for option in ["--root", "--config"] {
        all += &repository.lint(&[option, &format!("missing {name}")]);
    }
    pin!(all);
}

#[test]
fn usage_cannot_be_forged() {
    let repository = Repository::new(&[]);
    let text = "x\n::error::\u{1b}[2K\u{202e} ##[error]x";
    let mut all = String::new();
    for argument in [&format!("--{text}"), &format!("--all={text}"), &format!("-{text}"), &format!("--root={text}")] {
        all += &repository.lint(&[argument]);
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    all += &shown(&command.arg(text).output().unwrap());
    pin!(all);
}

/// The arguments, and where the two outputs go: `>&-` closes them.
#[cfg(target_os = "linux")]
fn redirected(repository: &Repository, arguments: &str, redirection: &str) -> String {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("\"$0\" {arguments} {redirection}"), env!("CARGO_BIN_EXE_xtask")]);
    shell.current_dir(repository.path());
    format!("=== {arguments} {redirection}\n{}", repository.run(&mut shell))
}

#[cfg(target_os = "linux")]
#[test]
fn outputs_that_cannot_be_written() {
    let repository = Repository::new(&[("run.py", SPAWN), ("marked.py", MARKED)]);
    let mut all = String::new();
    for arguments in [
        "lint-spawns run.py",
        "lint-spawns marked.py",
        "lint-spawns --print-baseline",
        "lint-spawns --help",
        "--version",
        "",
    ] {
        for redirection in [">/dev/full", ">&-"] {
            all += &redirected(&repository, arguments, redirection);
        }
    }
    for arguments in ["lint-spawns missing.py", "lint-spawns run.py missing.txt", "lint-spawns --no-such-flag"] {
        for redirection in ["2>/dev/full", "2>&-", ">&- 2>&-", ">/dev/full 2>/dev/full"] {
            all += &redirected(&repository, arguments, redirection);
        }
    }
    pin!(all);
}

/// As of `| head -1`: what was found is found, whoever reads of it.
#[test]
fn nobody_reads_on() {
    let many = SPAWN.repeat(10_000);
    let repository = Repository::new(&[("run.py", SPAWN), ("marked.py", MARKED), ("many.py", &many)]);
    let mut all = String::new();
    for arguments in
        [&["run.py"][..], &["many.py"], &["marked.py"], &["missing.py"], &["--print-baseline"], &["--help"]]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let shown = repository.run(repository.command().args(arguments).stdout(writer.try_clone().unwrap()));
        all += &format!("=== {arguments:?}\n{shown}");
        let code = repository.command().args(arguments).stdout(writer.try_clone().unwrap()).stderr(writer).status();
        all += &format!("nor of complaints: {}\n", code.unwrap());
    }
    pin!(all);
}

#[test]
fn a_long_line_is_cut() {
    let text = format!("    f('{}', start_new_session=True)\n", "é".repeat(300));
    pin!(Repository::new(&[("run.py", &text)]).lint(&[]));
}
