//! The rule table: every shape that is looked for has one entry here.

/// A shape that detaches. The order is that of tables and reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    StartNewSession,
    ProcessGroup,
    OsSetsid,
    DetachHelper,
    Unparsable,
}

impl Rule {
    pub const ALL: [Rule; 5] =
        [Rule::StartNewSession, Rule::ProcessGroup, Rule::OsSetsid, Rule::DetachHelper, Rule::Unparsable];

    pub fn name(self) -> &'static str {
        match self {
            Rule::StartNewSession => "start-new-session",
            Rule::ProcessGroup => "process-group",
            Rule::OsSetsid => "os-setsid",
            Rule::DetachHelper => "detach-helper",
            Rule::Unparsable => "unparsable",
        }
    }

    /// The names without which the shape cannot be written. A detach helper's are in the policy.
    pub fn needles(self) -> &'static [&'static str] {
        match self {
            Rule::StartNewSession => &["start_new_session"],
            Rule::ProcessGroup => &["process_group"],
            Rule::OsSetsid => &["setsid", "setpgid", "setpgrp"],
            Rule::DetachHelper | Rule::Unparsable => &[],
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
        }
    }
}
