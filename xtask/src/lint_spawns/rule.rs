//! The rule table: every shape that is looked for has one entry here.
//!
//! What people are told of a rule is in `rule/<name>.md`, and nowhere else: `lint-spawns rule`, README's table and
//! `docs/rules.md` are made from it. Such a file begins with a line that says what is flagged; more about that may
//! follow, then come the [`PARTS`]. It is printed to terminals as it is, so its lines are no longer than 80 characters.

/// The headings in the text of a rule. The first line of `Not flagged` is a summary.
pub const PARTS: [&str; 5] = ["Why", "Example", "Instead", "Not flagged", "Marker"];

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// A signal to the owner's group passes it by; it stays in the session, in the background of its terminal.
    Group,
    /// Neither the owner's group nor its terminal reaches it.
    Session,
    /// Another program has become its owner: systemd, tmux, a container engine, init.
    OutOfReach,
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
            Rule::PtySpawn => &["pty", "forkpty", "login_tty", "ptyprocess", "winpty", "pexpect", "spawnProcess"],
            Rule::WindowsCreationflags => &[
                "creationflags",
                "CreateProcess",
                "CreateProcessW",
                "CreateProcessA",
                "CreateProcessAsUser",
                "CreateProcessAsUserW",
                "CreateProcessAsUserA",
            ],
            Rule::ArgvDetacher => &[
                "setsid",
                "nohup",
                "systemd-run",
                "daemonize",
                "start-stop-daemon",
                "tmux",
                "screen",
                "docker",
                "podman",
                "\"at\"",
                "'at'",
                "/at",
                "\"batch\"",
                "'batch'",
                "/batch",
                "cmd",
                "CMD",
            ],
            Rule::ShellBackground => &[
                "shell",
                "system",
                "popen",
                "getoutput",
                "getstatusoutput",
                "create_subprocess_shell",
                "subprocess_shell",
                "run_process",
                "open_process",
                "-c",
                "-lc",
                "-ec",
            ],
            Rule::DaemonLibrary => &["DaemonContext", "Daemonize"],
            Rule::DoubleFork => &["fork"],
            Rule::DetachHelper | Rule::Unparsable => &[],
        }
    }

    /// The names whose statements are looked at in a text that has a needle.
    pub fn sought(self) -> &'static [&'static str] {
        match self {
            Rule::ArgvDetacher | Rule::ShellBackground => &[
                "Popen",
                "run",
                "call",
                "check_call",
                "check_output",
                "getoutput",
                "getstatusoutput",
                "system",
                "popen",
                "create_subprocess_exec",
                "create_subprocess_shell",
                "subprocess_exec",
                "subprocess_shell",
                "run_process",
                "open_process",
                "Subprocess",
                "__init__",
            ],
            Rule::StartNewSession
            | Rule::ProcessGroup
            | Rule::OsSetsid
            | Rule::DetachHelper
            | Rule::Unparsable
            | Rule::SetsidAlias
            | Rule::KwargsItem
            | Rule::OsSpawn
            | Rule::PtySpawn
            | Rule::WindowsCreationflags
            | Rule::DaemonLibrary
            | Rule::DefaultDetaches
            | Rule::DoubleFork => self.needles(),
        }
    }

    /// All that there is to say about it, as Markdown.
    pub fn text(self) -> &'static str {
        match self {
            Rule::StartNewSession => include_str!("rule/start-new-session.md"),
            Rule::ProcessGroup => include_str!("rule/process-group.md"),
            Rule::OsSetsid => include_str!("rule/os-setsid.md"),
            Rule::DetachHelper => include_str!("rule/detach-helper.md"),
            Rule::Unparsable => include_str!("rule/unparsable.md"),
            Rule::SetsidAlias => include_str!("rule/setsid-alias.md"),
            Rule::KwargsItem => include_str!("rule/kwargs-item.md"),
            Rule::OsSpawn => include_str!("rule/os-spawn.md"),
            Rule::PtySpawn => include_str!("rule/pty-spawn.md"),
            Rule::WindowsCreationflags => include_str!("rule/windows-creationflags.md"),
            Rule::ArgvDetacher => include_str!("rule/argv-detacher.md"),
            Rule::ShellBackground => include_str!("rule/shell-background.md"),
            Rule::DaemonLibrary => include_str!("rule/daemon-library.md"),
            Rule::DefaultDetaches => include_str!("rule/default-detaches.md"),
            Rule::DoubleFork => include_str!("rule/double-fork.md"),
        }
    }

    /// What is flagged, in a line.
    pub fn flagged(self) -> &'static str {
        self.text().lines().next().unwrap_or_default()
    }

    /// What looks like it and is not flagged, in a line.
    pub fn not_flagged(self) -> &'static str {
        self.part("Not flagged").lines().next().unwrap_or_default()
    }

    /// What the text says below one of the [`PARTS`].
    pub fn part(self, heading: &str) -> &'static str {
        let mut parts = self.text().split("\n## ").filter_map(|part| part.split_once("\n\n"));
        parts.find(|(title, _)| *title == heading).map_or("", |(_, text)| text)
    }
}

impl Group {
    pub const ALL: [Group; 2] = [Group::Default, Group::Extended];

    pub fn name(self) -> &'static str {
        match self {
            Group::Default => "default",
            Group::Extended => "extended",
        }
    }

    /// In table order.
    pub fn rules(self) -> impl Iterator<Item = Rule> {
        Rule::ALL.into_iter().filter(move |rule| rule.group() == self)
    }
}
