//! The two arguments of `subprocess.Popen` by which a child gets a session or group of its own.

use rustpython_parser::ast::{Constant, Expr};

use super::python::fold::is_true;
use super::rule::{Rule, Strength};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    StartNewSession,
    ProcessGroup,
}

impl Argument {
    pub fn named(name: &str) -> Option<Argument> {
        match name {
            "start_new_session" => Some(Argument::StartNewSession),
            "process_group" => Some(Argument::ProcessGroup),
            _ => None,
        }
    }

    /// The rule for its plain forms.
    pub fn rule(self) -> Rule {
        match self {
            Argument::StartNewSession => Rule::StartNewSession,
            Argument::ProcessGroup => Rule::ProcessGroup,
        }
    }

    pub fn strength(self) -> Strength {
        match self {
            Argument::StartNewSession => Strength::Session,
            Argument::ProcessGroup => Strength::Group,
        }
    }

    /// Whether a literal value leaves the child where its owner is. 0 is a group of its own.
    pub fn is_off(self, value: &Expr) -> bool {
        let Expr::Constant(literal) = value else { return false };
        match (self, &literal.value) {
            (_, Constant::None) => true,
            (Argument::ProcessGroup, _) => false,
            (Argument::StartNewSession, Constant::Str(_) | Constant::Bytes(_) | Constant::Tuple(_)) => false,
            (Argument::StartNewSession, literal) => !is_true(literal),
        }
    }
}
