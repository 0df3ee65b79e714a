//! How `cargo xtask ci` ends steps, and that nothing is left of them.

use std::fs;
#[cfg(target_os = "linux")]
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
#[cfg(target_os = "linux")]
use nix::pty::PtyMaster;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::ci::{command, host, without_times};
use crate::repository::{Repository, shown};
#[cfg(target_os = "linux")]
use crate::terminal;

/// In which whatever has to happen does, on the busiest machine.
const ENOUGH: Duration = Duration::from_secs(60);

/// A step that does not mean to end: it ignores what it is asked by, has a grandchild in its group, and one in a session
/// of its own. Each writes down its process id.
const STUBBORN: &str = r#"
trap '' INT TERM HUP
echo $$ >child
sh -c 'echo $$ >grandchild; sleep 1000 & echo $! >grandgrandchild; wait' &
setsid sh -c 'echo $$ >escaped; exec sleep 1000' &
until [ -s grandgrandchild ] && [ -s escaped ]; do sleep 0.01; done
echo $PPID >supervisor
echo it has begun
touch ready
wait
"#;

const STEPS: &str = r#"
[[workspace.metadata.ci.step]]
name = "stubborn"
command = ["sh", "stubborn.sh"]

[[workspace.metadata.ci.step]]
name = "after"
command = ["touch", "too-far"]
"#;

const IN_GROUP: [&str; 3] = ["child", "grandchild", "grandgrandchild"];

fn stubborn(steps: &str) -> Repository {
    let repository = host(steps);
    repository.write("stubborn.sh", STUBBORN);
    repository
}

/// `cargo xtask ci`, at the point at which the stubborn step is all there.
fn begin(repository: &Repository) -> Child {
    let mut command = command(repository, &["--only", "stubborn,after", "--keep-going"]);
    // A group of its own, as a shell gives it to what it starts.
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn();
    wait_until("the step to begin", || repository.path().join("ready").exists());
    child.unwrap()
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < ENOUGH, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A process whose id the step has written down.
fn process(repository: &Repository, name: &str) -> Pid {
    Pid::from_raw(fs::read_to_string(repository.path().join(name)).unwrap().trim().parse().unwrap())
}

/// A dead process whose parent does not ask for it is gone, too.
fn is_gone(repository: &Repository, name: &str) -> bool {
    let pid = process(repository, name);
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status.contains(") Z ") || kill(pid, None) == Err(Errno::ESRCH)
}

fn assert_nothing_is_left(repository: &Repository) {
    for name in IN_GROUP {
        assert!(is_gone(repository, name), "{name} is left");
    }
    assert_eq!(killpg(process(repository, "child"), None), Err(Errno::ESRCH), "the group is left");
    assert!(!repository.path().join("too-far").exists(), "the next step was run");
    if cfg!(target_os = "linux") {
        assert!(is_gone(repository, "escaped"), "what is in a session of its own is left");
    }
}

/// What a run shows that gets a signal while the stubborn step runs.
fn ended_by(signal: Signal) -> String {
    let repository = stubborn(STEPS);
    let child = begin(&repository);
    // To the whole group, as a terminal sends it.
    killpg(Pid::from_raw(child.id().try_into().unwrap()), signal).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_nothing_is_left(&repository);
    without_times(&shown(&output))
}

#[test]
fn ci_ended_by_ctrl_c() {
    pin!(ended_by(Signal::SIGINT));
}

#[test]
fn ci_ended_by_sigterm() {
    pin!(ended_by(Signal::SIGTERM));
}

#[test]
fn ci_ended_by_sighup() {
    pin!(ended_by(Signal::SIGHUP));
}

/// Nobody is left to tell, but nothing of the step is.
#[test]
fn ci_killed() {
    let repository = stubborn(STEPS);
    let child = begin(&repository);
    killpg(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGKILL).unwrap();
    child.wait_with_output().unwrap();
    wait_until("the supervisor to end the step", || {
        is_gone(&repository, "supervisor") && IN_GROUP.iter().all(|name| is_gone(&repository, name))
    });
    assert_nothing_is_left(&repository);
}

#[test]
fn ci_whose_supervisor_is_killed() {
    let repository = stubborn(&STEPS.replace("touch\", \"too-far", "true"));
    let child = begin(&repository);
    kill(process(&repository, "supervisor"), Signal::SIGKILL).unwrap();
    let output = child.wait_with_output().unwrap();
    wait_until("the group to end", || IN_GROUP.iter().all(|name| is_gone(&repository, name)));
    // Of what has left the group, nobody knows any more.
    let _ = kill(process(&repository, "escaped"), Signal::SIGKILL);
    pin!(without_times(&shown(&output)));
}

#[test]
fn ci_with_a_step_over_its_timeout() {
    let steps = STEPS.replace("[\"sh\", \"stubborn.sh\"]", "[\"sh\", \"stubborn.sh\"]\ntimeout = 6");
    let repository = stubborn(&steps.replace("too-far", "reached"));
    let output = command(&repository, &["--only", "stubborn,after", "--keep-going"]).output().unwrap();
    assert_nothing_is_left(&repository);
    assert!(repository.path().join("reached").exists(), "the next step was not run");
    pin!(without_times(&shown(&output)));
}

#[cfg(target_os = "linux")]
fn on_terminal(repository: &Repository, arguments: &[&str]) -> (Child, PtyMaster) {
    terminal::on_terminal(command(repository, arguments).current_dir(repository.path()))
}

/// What is shown until the end, but for how often the time is: this depends on the machine.
#[cfg(target_os = "linux")]
fn shown_on_terminal(repository: &Repository, child: Child, terminal: PtyMaster) -> String {
    let (shown, code) = terminal::all_shown(child, terminal);
    let shown = shown.replace(repository.path().as_str(), "ROOT");
    let times = regex::Regex::new(r"(\r(\[./.\] [a-z]+) [0-9.]+ s\x1b\[K)+").unwrap();
    let shown = times.replace_all(&without_times(&shown), "$2 TIME...\n").replace('\r', "CR").replace('\x1b', "ESC");
    format!("exit code: {code:?}\n{shown}")
}

#[cfg(target_os = "linux")]
#[test]
fn ci_on_a_terminal() {
    let repository = stubborn(STEPS);
    let (child, mut terminal) = on_terminal(&repository, &["--only", "format,stubborn,after"]);
    wait_until("the step to begin", || repository.path().join("ready").exists());
    terminal.write_all(b"\x03").unwrap();
    pin!(shown_on_terminal(&repository, child, terminal));
    assert_nothing_is_left(&repository);
}

/// What asks there for a password, say, must not wait for an answer: the question is shown to nobody.
#[cfg(target_os = "linux")]
#[test]
fn ci_with_a_step_that_reads_the_terminal() {
    let steps = r#"
[[workspace.metadata.ci.step]]
name = "asks"
command = ["sh", "-c", "exec 2>/dev/null; read answer </dev/tty"]
"#;
    let repository = host(steps);
    let (child, terminal) = on_terminal(&repository, &["--only", "asks", "--color=never"]);
    pin!(shown_on_terminal(&repository, child, terminal));
}

#[cfg(target_os = "linux")]
#[test]
fn ci_whose_terminal_dies() {
    let repository = stubborn(STEPS);
    let (mut child, terminal) = on_terminal(&repository, &["--only", "stubborn,after"]);
    wait_until("the step to begin", || repository.path().join("ready").exists());
    drop(terminal);
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert_nothing_is_left(&repository);
}

/// What is printed goes nowhere, and a write to there never ends.
#[test]
fn ci_whose_output_nobody_reads() {
    let repository = stubborn(STEPS);
    // More than a pipe holds.
    repository.write("stubborn.sh", STUBBORN.replace("touch ready", "yes | head -c 1000000; touch ready"));
    let mut ci = command(&repository, &["--only", "stubborn,after", "--verbose"]);
    let (reader, writer) = std::io::pipe().unwrap();
    let mut child = ci.stdout(writer).process_group(0).spawn().unwrap();
    drop(ci);
    wait_until("the step to begin", || repository.path().join("ready").exists());
    let group = Pid::from_raw(child.id().try_into().unwrap());
    killpg(group, Signal::SIGTERM).unwrap();
    wait_until("the step to end", || IN_GROUP.iter().all(|name| is_gone(&repository, name)));
    killpg(group, Signal::SIGTERM).unwrap();
    assert!(!child.wait().unwrap().success());
    wait_until("the supervisor to end", || is_gone(&repository, "supervisor"));
    assert_nothing_is_left(&repository);
    drop(reader);
}

/// Under `nohup` SIGHUP is ignored, and is to be.
#[cfg(target_os = "linux")]
#[test]
fn ci_under_nohup() {
    let steps = r#"
[[workspace.metadata.ci.step]]
name = "waits"
command = ["sh", "-c", "echo $$ >child; touch ready; until [ -e go ]; do sleep 0.01; done"]
"#;
    let repository = host(steps);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" ci --only waits", crate::ci::XTASK]);
    shell.current_dir(repository.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = shell.spawn().unwrap();
    wait_until("the step to begin", || repository.path().join("ready").exists());
    kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGHUP).unwrap();
    repository.write("go", "");
    pin!(without_times(&shown(&child.wait_with_output().unwrap())));
}

#[test]
fn ci_with_a_step_that_leaves_something_running() {
    let steps = r#"
[[workspace.metadata.ci.step]]
name = "leaves"
command = ["sh", "-c", "sleep 1000 & echo $! >left; echo done"]

[[workspace.metadata.ci.step]]
name = "leaves-and-fails"
command = ["sh", "-c", "(trap '' TERM; sleep 1000) & sleep 1000 & sleep 1000 & echo $! >left; exit 1"]
"#;
    let repository = host(steps);
    let mut all = String::new();
    for step in ["leaves", "leaves-and-fails"] {
        all += &without_times(&shown(&command(&repository, &["--only", step]).output().unwrap()));
        assert!(is_gone(&repository, "left"), "what {step} has left is left");
    }
    pin!(all);
}
