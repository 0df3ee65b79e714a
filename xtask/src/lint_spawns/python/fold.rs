//! What an expression comes to, as far as that is written down.
//!
//! Names are followed to what was assigned to them, once. Nothing is known of the platform: `os.name`, `sys.platform`
//! and `hasattr` may come to anything.

use std::ops::Range;

use rustpython_parser::ast::{CmpOp, Constant, Expr, Operator, UnaryOp, bigint::BigInt};

use super::names::Names;
use super::tree::Site;

/// As many expressions that one may come to are told apart.
pub const MOST_ARMS: usize = 256;

/// Larger numbers are shifted no further.
const LARGEST: u64 = 1024;

/// Whether an expression is true. None if that is not known.
pub fn truth(names: &Names, site: Site) -> Option<bool> {
    let of = |expr| truth(names, site.with(expr));
    match site.expr {
        Expr::Constant(constant) => Some(is_true(&constant.value)),
        Expr::Name(_) => truth(names, names.value(site)?),
        Expr::NamedExpr(named) => of(&named.value),
        Expr::UnaryOp(unary) => match unary.op {
            UnaryOp::Not => Some(!of(&unary.operand)?),
            UnaryOp::USub | UnaryOp::UAdd => of(&unary.operand),
            UnaryOp::Invert => Some(number(names, site)? != BigInt::from(0)),
        },
        Expr::BoolOp(bool_op) => {
            // One such operand decides.
            let deciding = bool_op.op.is_or();
            let values: Vec<Option<bool>> = bool_op.values.iter().map(of).collect();
            match values.contains(&Some(deciding)) {
                true => Some(deciding),
                false => values.iter().all(Option::is_some).then_some(!deciding),
            }
        }
        Expr::IfExp(if_exp) => match of(&if_exp.test) {
            Some(true) => of(&if_exp.body),
            Some(false) => of(&if_exp.orelse),
            None => of(&if_exp.body).filter(|truth| of(&if_exp.orelse) == Some(*truth)),
        },
        Expr::Compare(compare) => match (compare.ops.as_slice(), compare.comparators.as_slice()) {
            ([op], [right]) => {
                let (left, right) = (number(names, site.with(&compare.left))?, number(names, site.with(right))?);
                match op {
                    CmpOp::Eq => Some(left == right),
                    CmpOp::NotEq => Some(left != right),
                    CmpOp::Lt => Some(left < right),
                    CmpOp::LtE => Some(left <= right),
                    CmpOp::Gt => Some(left > right),
                    CmpOp::GtE => Some(left >= right),
                    _ => None,
                }
            }
            _ => None,
        },
        Expr::Call(call) => match call.args.as_slice() {
            [value] if names.is_builtin(site.with(&call.func), "bool") => of(value),
            [] if names.is_builtin(site.with(&call.func), "bool") => Some(false),
            _ => None,
        },
        Expr::Lambda(_) => Some(true),
        Expr::Dict(dict) => size(&dict.values, dict.keys.iter().all(Option::is_some)),
        Expr::Set(set) => size(&set.elts, !set.elts.iter().any(Expr::is_starred_expr)),
        Expr::Tuple(tuple) => size(&tuple.elts, !tuple.elts.iter().any(Expr::is_starred_expr)),
        // An f-string has become a list of its fields, and nothing is known of the text between them.
        Expr::List(list) if !is_format_string(names, site) => {
            size(&list.elts, !list.elts.iter().any(Expr::is_starred_expr))
        }
        _ => None,
    }
}

/// The whole number that an expression comes to. None if that is not known.
pub fn number(names: &Names, site: Site) -> Option<BigInt> {
    let of = |expr| number(names, site.with(expr));
    match site.expr {
        Expr::Constant(constant) => match &constant.value {
            Constant::Int(int) => Some(int.clone()),
            Constant::Bool(bool) => Some(BigInt::from(u8::from(*bool))),
            _ => None,
        },
        Expr::Name(_) => number(names, names.value(site)?),
        Expr::NamedExpr(named) => of(&named.value),
        Expr::UnaryOp(unary) => match unary.op {
            UnaryOp::USub => Some(-of(&unary.operand)?),
            UnaryOp::UAdd => of(&unary.operand),
            UnaryOp::Invert => Some(-of(&unary.operand)? - 1),
            UnaryOp::Not => None,
        },
        Expr::BinOp(bin_op) => {
            let (left, right) = (of(&bin_op.left)?, of(&bin_op.right)?);
            match bin_op.op {
                Operator::Add => Some(left + right),
                Operator::Sub => Some(left - right),
                Operator::BitOr => Some(left | right),
                Operator::BitAnd => Some(left & right),
                Operator::BitXor => Some(left ^ right),
                Operator::LShift if left.bits() < LARGEST => {
                    Some(left << u8::try_from(right).ok().filter(|by| *by < 64)?)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// One of the expressions that an expression may come to.
#[derive(Debug, Clone)]
pub struct Arm<'t> {
    pub site: Site<'t>,
    /// Where a project's own named constant stands for it.
    pub constant: Option<Range<usize>>,
}

impl<'t> Arm<'t> {
    /// Where its shape is: `part` of it, or where the constant is used.
    pub fn place(&self, part: Range<usize>) -> Range<usize> {
        self.constant.clone().unwrap_or(part)
    }

    /// Another expression that belongs to it.
    pub fn with(&self, expr: &'t Expr) -> Arm<'t> {
        Arm { site: self.site.with(expr), constant: self.constant.clone() }
    }
}

impl<'t> From<Site<'t>> for Arm<'t> {
    fn from(site: Site<'t>) -> Arm<'t> {
        Arm { site, constant: None }
    }
}

/// The expressions of which one is what an expression comes to: the arms of a condition, the operands of `or`, what was
/// assigned to a name. If there are very many, some of them are conditions, `or` and names themselves.
pub fn arms<'t, 'a: 't>(names: &Names<'a>, whole: Arm<'t>) -> Vec<Arm<'t>> {
    let mut arms = Vec::new();
    let mut rest = vec![whole];
    while let Some(arm) = rest.pop() {
        if arms.len() + rest.len() >= MOST_ARMS {
            arms.push(arm);
            arms.extend(rest.into_iter().rev());
            break;
        }
        match arm.site.expr {
            Expr::IfExp(if_exp) => rest.extend([arm.with(&if_exp.orelse), arm.with(&if_exp.body)]),
            Expr::BoolOp(bool_op) => {
                // What `and` yields before its last operand is false.
                let first = if bool_op.op.is_and() { bool_op.values.len().saturating_sub(1) } else { 0 };
                rest.extend(bool_op.values.iter().skip(first).rev().map(|value| arm.with(value)));
            }
            Expr::NamedExpr(named) => rest.push(arm.with(&named.value)),
            Expr::Name(name) => match names.value(arm.site) {
                Some(site) => {
                    let constant = is_constant_name(&name.id).then(|| arm.site.place());
                    rest.push(Arm { site, constant: arm.constant.or(constant) });
                }
                None => arms.push(arm),
            },
            _ => arms.push(arm),
        }
    }
    arms
}

/// Whether an expression asks what platform it runs on, or the opposite of that.
pub fn tests_platform(names: &Names, site: Site) -> bool {
    let asked = site.with(without_not(site.expr));
    arms(names, asked.into()).into_iter().any(|arm| {
        let is_platform = |expr: &Expr| {
            let called = match expr {
                Expr::Call(call) => &*call.func,
                _ => expr,
            };
            names.is_any(arm.site.with(called), &["os.name", "sys.platform", "platform.system"])
        };
        match without_not(arm.site.expr) {
            Expr::Compare(compare) => is_platform(&compare.left) || compare.comparators.iter().any(is_platform),
            Expr::Call(call) => match &*call.func {
                Expr::Attribute(method) if method.attr.as_str() == "startswith" => is_platform(&method.value),
                function => names.is_builtin(arm.site.with(function), "hasattr"),
            },
            _ => false,
        }
    })
}

/// Whether a name is written as constants are: `LIKE_THIS`.
fn is_constant_name(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}

/// Whether a list display is what an f-string or t-string was rewritten to.
pub fn is_format_string(names: &Names, site: Site) -> bool {
    site.expr.is_list_expr() && !names.text()[site.place()].starts_with('[')
}

/// Whether a display is true; `plain` if nothing in it stands for any number of items.
fn size(items: &[Expr], plain: bool) -> Option<bool> {
    if items.is_empty() { Some(false) } else { plain.then_some(true) }
}

/// Whether Python takes a literal for true.
pub fn is_true(literal: &Constant) -> bool {
    match literal {
        Constant::None => false,
        Constant::Bool(bool) => *bool,
        Constant::Str(text) => !text.is_empty(),
        Constant::Bytes(bytes) => !bytes.is_empty(),
        Constant::Int(int) => *int != BigInt::from(0),
        Constant::Float(float) => *float != 0.0,
        Constant::Complex { real, imag } => *real != 0.0 || *imag != 0.0,
        Constant::Tuple(items) => !items.is_empty(),
        Constant::Ellipsis => true,
    }
}

fn without_not(mut expr: &Expr) -> &Expr {
    while let Expr::UnaryOp(unary) = expr
        && unary.op.is_not()
    {
        expr = &unary.operand;
    }
    expr
}
