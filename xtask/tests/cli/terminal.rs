//! Runs that see a terminal.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, Command, Stdio};

use nix::fcntl::OFlag;
use nix::pty::{PtyMaster, grantpt, posix_openpt, ptsname_r, unlockpt};

/// The command in a session on a terminal of its own, whose other end is returned: what is typed is written there, what is
/// shown is read.
pub(crate) fn on_terminal(command: &Command) -> (Child, PtyMaster) {
    // What other tests start must not get it, or it would stay open.
    let terminal = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname_r(&terminal).unwrap();
    let slave = fs::File::options().read(true).write(true).custom_flags(OFlag::O_NOCTTY.bits()).open(name).unwrap();
    let mut session = Command::new("setsid");
    session.arg("--ctty").arg(command.get_program()).args(command.get_args());
    session.current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => session.env(name, value),
            None => session.env_remove(name),
        };
    }
    let end = || Stdio::from(slave.try_clone().unwrap());
    session.stdin(end()).stdout(end()).stderr(end());
    (session.spawn().unwrap(), terminal)
}

/// What is shown until the end, and the exit code.
pub(crate) fn all_shown(mut child: Child, mut terminal: PtyMaster) -> (String, Option<i32>) {
    let mut printed = Vec::new();
    // It ends with an error when nobody has the terminal open any more.
    let _ = terminal.read_to_end(&mut printed);
    let code = child.wait().unwrap().code();
    (String::from_utf8(printed).unwrap().replace("\r\n", "\n"), code)
}
