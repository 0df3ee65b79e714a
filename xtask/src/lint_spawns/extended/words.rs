//! What expressions say of a command: its words, or the text for a shell.

use std::ops::Range;

use rustpython_parser::ast::{Expr, ExprCall, Operator};

use crate::lint_spawns::command::{UNKNOWN, Word};
use crate::lint_spawns::python::fold::{self, Arm};
use crate::lint_spawns::python::literal;
use crate::lint_spawns::python::names::{Meaning, Names};
use crate::lint_spawns::python::tree::{Node, text_of};

/// As many lists are looked at for one command.
const MOST: usize = 64;

/// As many words are looked at in each. What tells whether a program detaches comes soon.
const LONGEST: usize = 256;

/// The words of a command, each with its place.
pub(super) type Words = Vec<(Word, Range<usize>)>;

/// A text for a shell and its place.
pub(super) type Text = (String, Range<usize>);

/// The lists of words that an expression may come to. Empty if it is no list, or if nothing is known of it.
pub(super) fn lists<'t, 'a: 't>(names: &Names<'a>, whole: Arm<'t>) -> Vec<Words> {
    let mut lists = Vec::new();
    for arm in fold::arms(names, whole) {
        let site = arm.site;
        match site.expr {
            Expr::List(list) if !fold::is_format_string(names, site) => lists.push(elements(names, &arm, &list.elts)),
            Expr::Tuple(tuple) => lists.push(elements(names, &arm, &tuple.elts)),
            Expr::BinOp(bin_op) if bin_op.op == Operator::Add => {
                let right = self::lists(names, arm.with(&bin_op.right)).into_iter().next();
                let right = right.unwrap_or_else(|| vec![(Word::Many, arm.place(site.place()))]);
                let left = self::lists(names, arm.with(&bin_op.left)).into_iter();
                // An empty list before another one says nothing.
                lists.extend(left.map(|mut left| {
                    let rest = LONGEST.saturating_sub(left.len());
                    left.extend(right.iter().take(rest).cloned());
                    left
                }));
            }
            Expr::Name(name) => lists.extend(grown(names, &arm, &name.id)),
            Expr::Call(call) => lists.extend(of_call(names, &arm, call)),
            _ => {}
        }
        lists.truncate(MOST);
    }
    lists
}

fn elements<'t, 'a: 't>(names: &Names<'a>, arm: &Arm<'t>, elements: &'t [Expr]) -> Words {
    let mut words = Words::new();
    for element in elements {
        if words.len() >= LONGEST {
            break;
        }
        match element {
            Expr::Starred(starred) => match lists(names, arm.with(&starred.value)).into_iter().next() {
                Some(inner) => words.extend(inner),
                None => words.push((Word::Many, arm.place(arm.site.with(element).place()))),
            },
            _ => words.push(word(names, arm.with(element))),
        }
    }
    words
}

/// One word of a command.
pub(super) fn word<'t, 'a: 't>(names: &Names<'a>, whole: Arm<'t>) -> (Word, Range<usize>) {
    let place = whole.place(whole.site.place());
    let known = texts(names, whole).into_iter().next();
    known.map_or((Word::One(UNKNOWN.to_string()), place), |(text, place)| (Word::One(text), place))
}

/// A list that is assigned once to a name, with what is added to it afterwards in the same scope.
fn grown<'t, 'a: 't>(names: &Names<'a>, arm: &Arm<'t>, name: &str) -> Vec<Words> {
    let at = arm.site.at;
    let Meaning::Value { site, .. } = names.meaning(name, at) else { return Vec::new() };
    let constant = arm.constant.clone();
    let mut grown = lists(names, Arm { site, constant });
    if grown.is_empty() {
        return grown;
    }
    for mention in &names.uses(name, at).changed {
        let Some(outer) = mention.at.parent() else { continue };
        let (more, first) = match outer.node() {
            Node::Stmt(stmt) if stmt.is_aug_assign_stmt() => {
                let Some(assign) = stmt.as_aug_assign_stmt() else { continue };
                (lists(names, outer.site(&assign.value).into()).into_iter().next(), false)
            }
            Node::Expr(Expr::Attribute(method)) => {
                let Some(at) = outer.parent() else { continue };
                let Node::Expr(Expr::Call(call)) = at.node() else { continue };
                match (method.attr.as_str(), call.args.as_slice()) {
                    ("append", [one]) => (Some(vec![word(names, at.site(one).into())]), false),
                    ("extend", [list]) => (lists(names, at.site(list).into()).into_iter().next(), false),
                    ("insert", [place, one]) => {
                        let is_first = fold::number(names, at.site(place)).is_some_and(|place| place == 0.into());
                        (Some(vec![word(names, at.site(one).into())]), is_first)
                    }
                    _ => continue,
                }
            }
            _ => continue,
        };
        let more = more.unwrap_or_else(|| vec![(Word::Many, mention.place())]);
        for list in &mut grown {
            let place = if first { 0 } else { list.len() };
            list.splice(place..place, more.clone());
        }
    }
    grown
}

/// `list(words)`, `shlex.split("text")`, `"text".split()`.
fn of_call<'t, 'a: 't>(names: &Names<'a>, arm: &Arm<'t>, call: &'t ExprCall) -> Vec<Words> {
    let function = arm.site.with(&call.func);
    let split = |texts: Vec<Text>| {
        let words = |(text, place): Text| {
            let words = shlex::split(&text).unwrap_or_default();
            words.into_iter().map(|word| (Word::One(word), place.clone())).collect()
        };
        texts.into_iter().map(words).collect()
    };
    match (&*call.func, call.args.as_slice()) {
        (_, [inner]) if ["list", "tuple"].iter().any(|kind| names.is_builtin(function, kind)) => {
            lists(names, arm.with(inner))
        }
        (_, [text, ..]) if names.is_any(function, &["shlex.split"]) => split(texts(names, arm.with(text))),
        (Expr::Attribute(method), []) if method.attr.as_str() == "split" => {
            split(texts(names, arm.with(&method.value)))
        }
        (Expr::Attribute(method), []) if method.attr.as_str() == "copy" => lists(names, arm.with(&method.value)),
        _ => Vec::new(),
    }
}

/// The texts that an expression may come to, [`UNKNOWN`] for the parts of them that are not written down. Empty if
/// nothing is.
pub(super) fn texts<'t, 'a: 't>(names: &Names<'a>, whole: Arm<'t>) -> Vec<Text> {
    fold::arms(names, whole).into_iter().filter_map(|arm| text(names, &arm)).collect()
}

fn text<'t, 'a: 't>(names: &Names<'a>, arm: &Arm<'t>) -> Option<Text> {
    let site = arm.site;
    let place = arm.place(site.place());
    let part = |expr: &'t Expr| texts(names, arm.with(expr)).into_iter().next();
    match site.expr {
        Expr::Constant(constant) => Some((constant.value.as_str()?.clone(), place)),
        Expr::List(_) if fold::is_format_string(names, site) => {
            Some((literal::joined(&names.text()[site.place()], UNKNOWN), place))
        }
        Expr::BinOp(bin_op) if bin_op.op == Operator::Add => {
            let unknown = || (UNKNOWN.to_string(), place.clone());
            let (left, right) = (part(&bin_op.left), part(&bin_op.right));
            if left.is_none() && right.is_none() {
                return None;
            }
            let ((left, place), (right, _)) = (left.unwrap_or_else(unknown), right.unwrap_or_else(unknown));
            Some((left + &right, place))
        }
        Expr::BinOp(bin_op) if bin_op.op == Operator::Mod => {
            part(&bin_op.left).map(|(text, place)| (without_fields(&text, '%'), place))
        }
        Expr::Call(call) => {
            if names.is_any(site.with(&call.func), &["textwrap.dedent", "shutil.which", "inspect.cleandoc"]) {
                return part(call.args.first()?);
            }
            if names.is_any(site.with(&call.func), &["shlex.join"]) {
                return joined(lists(names, arm.with(call.args.first()?)), " ");
            }
            let Expr::Attribute(method) = &*call.func else { return None };
            match method.attr.as_str() {
                "format" => part(&method.value).map(|(text, place)| (without_fields(&text, '{'), place)),
                "strip" | "lstrip" | "rstrip" => part(&method.value),
                "join" => joined(lists(names, arm.with(call.args.first()?)), text_of(&method.value)?),
                _ => None,
            }
        }
        _ => None,
    }
}

fn joined(lists: Vec<Words>, separator: &str) -> Option<Text> {
    let list = lists.into_iter().next()?;
    let place = list.first()?.1.clone();
    let words = list.iter().map(|(word, _)| match word {
        Word::One(text) => text.clone(),
        Word::Many => UNKNOWN.to_string(),
    });
    Some((words.collect::<Vec<_>>().join(separator), place))
}

/// [`UNKNOWN`] for each field of a format: `%s` and `%(name)d`, or `{}` and `{name}`.
fn without_fields(format: &str, start: char) -> String {
    let mut text = String::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != start || chars.next_if_eq(&start).is_some() {
            text.push(c);
            continue;
        }
        text.push(UNKNOWN);
        if start == '{' {
            chars.by_ref().find(|c| *c == '}');
            continue;
        }
        if chars.next_if_eq(&'(').is_some() {
            chars.by_ref().find(|c| *c == ')');
        }
        while chars.next_if(|c| c.is_ascii_digit() || "#-+ .*".contains(*c)).is_some() {}
        chars.next();
    }
    text
}
