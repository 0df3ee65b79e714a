//! The rule table: every shape that is looked for has one entry here.

use serde::Serialize;

/// A shape that detaches. The order is that of tables and reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    StartNewSession,
    ProcessGroup,
    OsSetsid,
    DetachHelper,
    Unparsable,
    SetsidAlias,
    KwargsItem,
    OsSpawn,
    PtySpawn,
    WindowsCreationflags,
    ArgvDetacher,
    ShellBackground,
    DaemonLibrary,
    DefaultDetaches,
    DoubleFork,
}

/// Rules that are chosen together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// In force where a policy does not choose. It never changes.
    Default,
    /// Shapes that are rarer, or that take a look at the whole file to be told from harmless ones.
    Extended,
}

/// The names of many rules at once.
const GROUPS: [(&str, &[Group]); 3] =
    [("default", &[Group::Default]), ("extended", &[Group::Extended]), ("all", &[Group::Default, Group::Extended])];

/// The rules that a name stands for, be it a rule's or a group's; else what is wrong with it.
pub fn chosen(name: &str) -> Result<Vec<Rule>, String> {
    if let Some((_, groups)) = GROUPS.iter().find(|(group, _)| *group == name) {
        return Ok(Rule::ALL.into_iter().filter(|rule| groups.contains(&rule.group())).collect());
    }
    if let Some(rule) = Rule::ALL.into_iter().find(|rule| rule.name() == name) {
        return Ok(vec![rule]);
    }
    let known = || GROUPS.iter().map(|(group, _)| *group).chain(Rule::ALL.iter().map(|rule| rule.name()));
    // As near as rustc wants it: a third of the letters may be wrong.
    let near = name.chars().count().max(3) / 3;
    let distance = |known: &&str| strsim::osa_distance(name, known);
    Err(match known().min_by_key(distance).filter(|nearest| distance(nearest) <= near) {
        Some(nearest) => format!("unknown rule {name:?}; did you mean {nearest}?"),
        None => format!("unknown rule {name:?}; known are {}", known().collect::<Vec<_>>().join(", ")),
    })
}

/// How far a child gets from its owner. The order is that of rising trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// A signal to the owner's group passes it by; the end of the session still reaches it.
    Group,
    /// Neither the owner's group nor its terminal reaches it.
    Session,
    /// Another program has become its owner: systemd, tmux, a container engine, init.
    OutOfReach,
}

impl Strength {
    pub const ALL: [Strength; 3] = [Strength::Group, Strength::Session, Strength::OutOfReach];

    /// Where the child is, whom that escapes, and what ends it all the same.
    pub fn consequence(self) -> &'static str {
        match self {
            Strength::Group => {
                "in a process group of its own: a signal to the owner's group misses it; os.killpg ends it"
            }
            Strength::Session => {
                "in a session of its own: neither the owner's group nor its terminal reaches it; os.killpg ends it"
            }
            Strength::OutOfReach => {
                "out of reach: only the program that took it over ends it (systemctl stop, tmux kill-session, docker stop)"
            }
        }
    }
}

impl Rule {
    pub const ALL: [Rule; 15] = [
        Rule::StartNewSession,
        Rule::ProcessGroup,
        Rule::OsSetsid,
        Rule::DetachHelper,
        Rule::Unparsable,
        Rule::SetsidAlias,
        Rule::KwargsItem,
        Rule::OsSpawn,
        Rule::PtySpawn,
        Rule::WindowsCreationflags,
        Rule::ArgvDetacher,
        Rule::ShellBackground,
        Rule::DaemonLibrary,
        Rule::DefaultDetaches,
        Rule::DoubleFork,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Rule::StartNewSession => "start-new-session",
            Rule::ProcessGroup => "process-group",
            Rule::OsSetsid => "os-setsid",
            Rule::DetachHelper => "detach-helper",
            Rule::Unparsable => "unparsable",
            Rule::SetsidAlias => "setsid-alias",
            Rule::KwargsItem => "kwargs-item",
            Rule::OsSpawn => "os-spawn",
            Rule::PtySpawn => "pty-spawn",
            Rule::WindowsCreationflags => "windows-creationflags",
            Rule::ArgvDetacher => "argv-detacher",
            Rule::ShellBackground => "shell-background",
            Rule::DaemonLibrary => "daemon-library",
            Rule::DefaultDetaches => "default-detaches",
            Rule::DoubleFork => "double-fork",
        }
    }

    pub fn group(self) -> Group {
        match self {
            Rule::StartNewSession | Rule::ProcessGroup | Rule::OsSetsid | Rule::DetachHelper | Rule::Unparsable => {
                Group::Default
            }
            Rule::SetsidAlias
            | Rule::KwargsItem
            | Rule::OsSpawn
            | Rule::PtySpawn
            | Rule::WindowsCreationflags
            | Rule::ArgvDetacher
            | Rule::ShellBackground
            | Rule::DaemonLibrary
            | Rule::DefaultDetaches
            | Rule::DoubleFork => Group::Extended,
        }
    }

    /// The names without which the shape cannot be written. A detach helper's are in the policy.
    pub fn needles(self) -> &'static [&'static str] {
        match self {
            Rule::StartNewSession => &["start_new_session"],
            Rule::ProcessGroup => &["process_group"],
            Rule::OsSetsid | Rule::SetsidAlias => &["setsid", "setpgid", "setpgrp"],
            Rule::KwargsItem | Rule::DefaultDetaches => &["start_new_session", "process_group"],
            Rule::OsSpawn => &["posix_spawn", "posix_spawnp", "P_DETACH"],
            Rule::PtySpawn => &[
                "pty",
                "forkpty",
                "login_tty",
                "ptyprocess",
                "winpty",
                "PtyProcess",
                "PtyProcessUnicode",
                "pexpect",
                "usePTY",
                "spawnProcess",
            ],
            Rule::WindowsCreationflags => {
                &["creationflags", "CreateProcess", "CreateProcessW", "CreateProcessA", "CreateProcessAsUser"]
            }
            Rule::DaemonLibrary => &["DaemonContext", "Daemonize"],
            Rule::DoubleFork => &["fork"],
            Rule::ArgvDetacher | Rule::ShellBackground | Rule::DetachHelper | Rule::Unparsable => &[],
        }
    }

    /// What is flagged, for README's table.
    pub fn flagged(self) -> &'static str {
        match self {
            Rule::StartNewSession => {
                "`start_new_session` as a keyword argument, a key of a dict display, or a key assigned to \
                 (`kw[\"start_new_session\"] = …`), with any value but a literal false one"
            }
            Rule::ProcessGroup => "`process_group` in the same three forms with any value but `None`: 0 is a new group",
            Rule::OsSetsid => "`os.setsid`, `os.setpgid`, `os.setpgrp`: called, passed on, or only named",
            Rule::DetachHelper => "a call of a function that `detach-helpers` names",
            Rule::Unparsable => "a statement that mentions one of these names and cannot be parsed",
            Rule::SetsidAlias => "the three functions of `os` under another name, or by `getattr` or `ctypes`",
            Rule::KwargsItem => "the two Popen arguments put into a dict in another way, or under a constant's name",
            Rule::OsSpawn => "`os.posix_spawn` with `setsid=` or `setpgroup=`, `os.spawn*` with `P_DETACH`",
            Rule::PtySpawn => "a child on a terminal of its own: `pty`, `os.forkpty`, ptyprocess, pexpect, twisted",
            Rule::WindowsCreationflags => "creation flags that detach on Windows",
            Rule::ArgvDetacher => {
                "a command that starts with `setsid`, `nohup`, `systemd-run`, `tmux new -d` and the like"
            }
            Rule::ShellBackground => "a shell command that starts with such a program, or has `&` as an operator",
            Rule::DaemonLibrary => "`daemon.DaemonContext`, `daemonize.Daemonize`",
            Rule::DefaultDetaches => "a default, a field or an attribute by which children detach",
            Rule::DoubleFork => "a second `os.fork()` in the child of a first",
        }
    }

    /// What looks like it and is not flagged, for README's table.
    pub fn not_flagged(self) -> &'static str {
        match self {
            Rule::StartNewSession => {
                "`=False`, `=None`, `=0`, `=0.0`, `=0j`; a parameter's default; annotated and augmented assignment"
            }
            Rule::ProcessGroup => "`=None`; a parameter's default; annotated and augmented assignment",
            Rule::OsSetsid => "the same names of another object, or bare: `from os import setsid`",
            Rule::DetachHelper => "its definition, its import, a reference to it without a call",
            Rule::Unparsable => "the names in a comment or inside a longer string",
            Rule::SetsidAlias => "the import itself, `hasattr`, a test whether the function is there",
            Rule::KwargsItem => "`get`, `pop`, a key that is assigned more than once",
            Rule::OsSpawn => "`posix_spawn` without them, `P_NOWAIT`",
            Rule::PtySpawn => "`pexpect.run`, a method of that name of another object",
            Rule::WindowsCreationflags => "`CREATE_NO_WINDOW` alone, flags that are not known",
            Rule::ArgvDetacher => "a list that reaches no spawn, `docker run` in the foreground",
            Rule::ShellBackground => "`&&`, `2>&1`, `&>`, `&` in quotes, text that is printed",
            Rule::DaemonLibrary => "`DaemonContext(detach_process=False)`",
            Rule::DefaultDetaches => "a default of `False`, an annotation without a value",
            Rule::DoubleFork => "one fork, forks side by side",
        }
    }
}
