//! The rule table: every shape that is looked for has one entry here.
//!
//! What people are told of a rule is in `rule/<name>.md`, and nowhere else: `lint-spawns rule`, README's table and
//! `docs/rules.md` are made from it. Such a file begins with a line that says what is flagged; more about that may
//! follow, then come the [`PARTS`]. It is printed to terminals as it is, so its lines are no longer than 80 characters.

/// The headings in the text of a rule. The first line of `Not flagged` is a summary.
pub const PARTS: [&str; 5] = ["Why", "Example", "Instead", "Not flagged", "Marker"];

use serde::Serialize;

use super::program;

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

/// How far a child gets from its owner. The order is that of rising trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// A signal to the owner's group passes it by, or one of its signals; it stays in the session, in the background of its
    /// terminal.
    Group,
    /// Neither the owner's group nor its terminal reaches it.
    Session,
    /// Another program has become its owner: systemd, tmux, a container engine, init.
    OutOfReach,
}

impl Strength {
    /// Where the child of a hit of a rule is, whom that escapes, and what ends it all the same.
    pub fn consequence(self, rule: Rule) -> &'static str {
        match self {
            // A shell leaves it in the owner's group, and so does `nohup`.
            Strength::Group if matches!(rule, Rule::ArgvDetacher | Rule::ShellBackground) => {
                "in the background: Ctrl-C or the end of the terminal misses it; SIGTERM to the owner's group ends it"
            }
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

    /// The rule of that name, or what is wrong with the name.
    pub fn named(name: &str) -> Result<Rule, String> {
        let rule = Rule::ALL.into_iter().find(|rule| rule.name() == name);
        rule.ok_or_else(|| unknown(name, &Rule::ALL.map(Rule::name)))
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

    /// A text in which none of these stands has no such shape. A detach helper's are in the policy.
    pub fn needles(self) -> &'static [&'static str] {
        match self {
            Rule::StartNewSession => &["start_new_session"],
            Rule::ProcessGroup => &["process_group"],
            Rule::OsSetsid | Rule::SetsidAlias => &["setsid", "setpgid", "setpgrp"],
            Rule::KwargsItem | Rule::DefaultDetaches => &["start_new_session", "process_group"],
            Rule::OsSpawn => &["posix_spawn", "P_DETACH"],
            Rule::PtySpawn => &[" pty", ",pty", "forkpty", "login_tty", "winpty", "pexpect", "spawnProcess"],
            Rule::WindowsCreationflags => &["creationflags", "CreateProcess"],
            // Of the modules and functions by which children are started.
            Rule::ArgvDetacher | Rule::ShellBackground => {
                &["ubprocess", "Popen", "popen", "system(", "system as", "anyio", "trio"]
            }
            Rule::DaemonLibrary => &["DaemonContext", "Daemonize"],
            Rule::DoubleFork => &["fork"],
            Rule::DetachHelper | Rule::Unparsable => &[],
        }
    }

    /// The names whose statements are looked at in a text with a needle.
    pub fn sought(self) -> &'static [&'static str] {
        match self {
            Rule::StartNewSession
            | Rule::ProcessGroup
            | Rule::OsSetsid
            | Rule::SetsidAlias
            | Rule::KwargsItem
            | Rule::DefaultDetaches
            | Rule::DaemonLibrary
            | Rule::DoubleFork => self.needles(),
            Rule::OsSpawn => &["posix_spawn", "posix_spawnp", "P_DETACH"],
            Rule::PtySpawn => {
                &["fork", "forkpty", "login_tty", "spawn", "spawnu", "PtyProcess", "PtyProcessUnicode", "spawnProcess"]
            }
            Rule::WindowsCreationflags => {
                &["creationflags", "CreateProcess", "CreateProcessW", "CreateProcessA", "CreateProcessAsUser"]
            }
            Rule::ArgvDetacher => &[
                "Popen",
                "run",
                "call",
                "check_call",
                "check_output",
                "create_subprocess_exec",
                "subprocess_exec",
                "run_process",
                "open_process",
                "Subprocess",
                "__init__",
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
            ],
            Rule::DetachHelper | Rule::Unparsable => &[],
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

    /// What is flagged, and more about that.
    pub fn introduction(self) -> &'static str {
        self.text().split("\n## ").next().unwrap_or_default().trim_end()
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

/// The name of all groups together.
const ALL: &str = "all";

/// The rules that a name stands for, be it a rule's or a group's; else what is wrong with it.
pub fn chosen(name: &str) -> Result<Vec<Rule>, String> {
    if let Some(group) = Group::ALL.into_iter().find(|group| group.name() == name) {
        return Ok(group.rules().collect());
    }
    if name == ALL {
        return Ok(Rule::ALL.into());
    }
    let known = [&Group::ALL.map(Group::name)[..], &[ALL], &Rule::ALL.map(Rule::name)].concat();
    Rule::named(name).map(|rule| vec![rule]).map_err(|_| unknown(name, &known))
}

/// What is wrong with a name that is not among those known. A word of a known name, and one of which a third of the
/// letters is wrong, are answered with the name that was meant.
fn unknown(name: &str, known: &[&str]) -> String {
    let distance = |known: &&&str| strsim::osa_distance(name, known);
    let alike = |known: &&&str| 3 * distance(known) <= known.len() || known.split('-').any(|part| part == name);
    let meant = known.iter().filter(alike).min_by_key(distance);
    let question = meant.map_or(String::new(), |meant| format!("did you mean {meant}? "));
    format!("unknown rule {name:?}; {question}`{} rule` lists all", program::called())
}
