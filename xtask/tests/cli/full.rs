//! Problems that are shown in their places.

use std::process::Stdio;

use crate::repository::{Repository, policy, shown};
#[cfg(target_os = "linux")]
use crate::terminal::{all_shown, on_terminal};
use crate::{MARKED, SPAWN};

fn lint(repository: &Repository, arguments: &[&str]) -> String {
    repository.lint_as("full", arguments)
}

#[test]
fn full() {
    let repository = Repository::new(&[
        ("marked.py", MARKED),
        ("over.py", &SPAWN.repeat(2)),
        ("tolerated.py", SPAWN),
        ("unparsable.py", "x = 1\n\nos.setsid(\n"),
        ("pyproject.toml", &policy("[tool.lint-spawns.baseline]\n'over.py' = 1\n'tolerated.py' = 1\n")),
    ]);
    pin!(lint(&repository, &[]) + &lint(&repository, &["--quiet"]) + &lint(&repository, &["marked.py"]));
}

/// The caret is below the text, whatever comes before it and however the file ends.
#[test]
fn full_places() {
    let helper = format!("f(lambda: helper(\n{}))", "    1,\n".repeat(20));
    let repository = Repository::new(&[
        ("byte_order_mark.py", "\u{feff}os.setsid()"),
        ("carriage_returns.py", "x = 1\r\n\r\nf(start_new_session=True)\r\n\r\n"),
        ("indented_by_tabs.py", "if x:\n\tif y:\n\t\tf(a,\tstart_new_session=True)\n"),
        ("long.py", &format!("f({}, start_new_session=True, {})\n", "'é'".repeat(60), "*b, ".repeat(60))),
        ("long_and_marked_behind.py", &format!("f(\\\n  {} start_new_session=True)\n", "'é', ".repeat(60))),
        ("many_lines.py", &helper),
        ("no_end_of_line.py", "x = 1\nos.setsid"),
        ("several.py", "\tf(process_group=0, preexec_fn=os.setsid,\n\t  start_new_session=g(\n1), a=os.setsid)  # é\n"),
        ("wide.py", "f('漢字', '𝒳', 'e\u{301}', start_new_session=True)\n"),
        ("pyproject.toml", &policy("detach-helpers = ['helper']\n")),
    ]);
    repository.write("invalid_byte.py", b"f('n\xff\xfe', start_new_session=True)\n");
    repository.track();
    pin!(lint(&repository, &["--quiet"]));
}

#[test]
fn full_where_a_marker_can_stand() {
    let texts = [
        ("above_its_own_line.py", "x = f(\n    a,\n    start_new_session=g(True), # noqa\n)\nf(start_new_session=1)\n"),
        ("above_its_statement.py", "x = \\\n    f(start_new_session=True)  # noqa\n"),
        ("beside_another.py", "os.setsid()\nos.setsid()\n"),
        ("in_latin_1.py", "# coding: latin-1\nos.setsid()\n"),
        ("in_another_encoding.py", "# coding: utf-7\nos.setsid()\n"),
        ("in_a_string.py", "x = f'''\n{f(start_new_session=True)}\n'''\n"),
        ("in_a_string_without_an_end.py", "os.setsid()\nx = '''\n"),
        (
            "turned_page.py",
            "if x:\n \x0c    f('a long line, so that no marker has room behind it', start_new_session=True)\n",
        ),
    ];
    let repository = Repository::new(&texts);
    let mut all = lint(&repository, &["--quiet"]);
    repository.write("pyproject.toml", policy("markers = 'statement'\nmarker = '##[x] fine'\n"));
    all += &lint(&repository, &["--quiet", "above_its_statement.py", "beside_another.py"]);
    repository.write("pyproject.toml", policy("marker = \"a\\u001bb\"\n"));
    all += &lint(&repository, &["--quiet", "beside_another.py"]);
    pin!(all);
}

/// Advisories come in words; what fails the run is shown in its place, in the policy too.
#[test]
fn full_of_markers_and_entries_that_are_wrong() {
    let table = "[tool.lint-spawns.baseline]\r\n'gone.py' = 2\n\"run.py\" = { \"fire\" = 1, '<module>' = 2 }\n";
    let repository = Repository::new(&[
        (
            "run.py",
            "f(start_new_session=False)  # detached-spawn: ok - it is none\nos.setsid()  # detached-spawn: ok\n",
        ),
        ("pyproject.toml", &policy(table)),
        ("notes.txt", ""),
    ]);
    repository.write("new.py", "os.setpgrp()  # detached-spawn: ok\n# detached-spawn - it is the owner\nos.setsid()\n");
    let all: [&[&str]; 5] = [
        &["new.py", "--quiet"],
        &["--exit-zero"],
        &["--strict-markers", "--strict-baseline"],
        &["--strict-markers", "--strict-baseline", "--quiet"],
        &["run.py", "notes.txt", "--with-baseline"],
    ];
    let mut all = all.map(|arguments| lint(&repository, arguments)).concat();
    repository.write("policy.toml", "baseline.'gone.py' = 1\n[baseline.'run.py']\n'<module>' = 2\nfire = 1\n");
    all += &lint(&repository, &["--config", "policy.toml", "--strict-baseline", "--quiet"]);
    pin!(all);
}

#[test]
fn full_of_a_staged_file_and_of_standard_input() {
    let repository = Repository::new(&[("run.py", "x = 'as it is staged'\nos.setsid()\n")]);
    repository.write("run.py", "x = 'as it is in the work tree'\n\n\nos.setpgrp()\n");
    let mut all = lint(&repository, &["--staged"]) + &lint(&repository, &[]);
    let input = repository.path().join("input");
    std::fs::write(&input, "x = 'as the editor has it'\nos.setsid()\n").unwrap();
    let input = Stdio::from(std::fs::File::open(input).unwrap());
    let mut command = repository.command();
    all += &repository.run(command.args(["--format", "full", "-", "--stdin-filename", "run.py"]).stdin(input));
    pin!(all);
}

#[test]
fn full_of_nothing_and_of_what_cannot_be_checked() {
    let repository = Repository::new(&[("tests/run.py", SPAWN), ("marked.py", MARKED), ("spawn.py", SPAWN)]);
    repository.write("wide.py", b"\xff\xfe");
    repository.track();
    let all: [&[&str]; 4] = [&["tests"], &["wide.py", "marked.py"], &["wide.py", "spawn.py", "--quiet"], &["gone.py"]];
    pin!(all.map(|arguments| lint(&repository, arguments)).concat());
}

#[cfg(unix)]
#[test]
fn full_cannot_be_forged() {
    let name = "::a\u{1b}[2K\r\n\u{202e}##vso[x]:1:1.py";
    let source = "x = '##[error]'  # \u{1b}[2K\n::error::x, os.setsid()  # \u{9b}\u{2028}\u{202e}\n##[error]x\n";
    let marker = "f('\u{1b}', start_new_session=True)  # detached-spawn: OK - ##[error]\u{1b}\n";
    let table = "advice = \"a\\n::error::b\"\n[tool.lint-spawns.baseline]\n\"::gone\\n##[x].py\" = 1\n";
    let repository = Repository::new(&[(name, source), ("marker.py", marker), ("pyproject.toml", &policy(table))]);
    pin!(lint(&repository, &["--strict-baseline", "--strict-markers"]));
}

#[test]
fn full_in_colours() {
    let repository = Repository::new(&[("run.py", "f('\u{1b}[31m', start_new_session=True)\n")]);
    let mut all = String::new();
    for (arguments, variables) in [
        (&["--color", "always"][..], &[("NO_COLOR", "1")][..]),
        (&[], &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")]),
        (&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]),
        (&[], &[]),
        (&["--color", "never"], &[("CLICOLOR_FORCE", "1")]),
        (&["--color", "always", "--format", "text"], &[]),
    ] {
        let format = if arguments.contains(&"text") { &[][..] } else { &["--format", "full"] };
        let mut command = repository.command();
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").arg("--quiet").args(format).args(arguments);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        all += &format!("=== {arguments:?} {variables:?}\n{}", shown(&output).replace('\x1b', "ESC"));
    }
    pin!(all);
}

#[cfg(target_os = "linux")]
#[test]
fn full_on_a_terminal() {
    let repository = Repository::new(&[("run.py", "os.setsid()\n")]);
    let mut all = String::new();
    for variables in [&[("TERM", "xterm")][..], &[("TERM", "dumb")], &[("TERM", "xterm"), ("NO_COLOR", "0")]] {
        let mut command = repository.command();
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").args(["--quiet", "--format", "full"]);
        let (child, terminal) = on_terminal(command.envs(variables.iter().copied()));
        let (shown, code) = all_shown(child, terminal);
        all += &format!("=== {variables:?}\nexit code: {code:?}\n{}", shown.replace('\x1b', "ESC"));
    }
    pin!(all);
}
