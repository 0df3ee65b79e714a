//! Gives parameters that have the same name different ones: Python's grammar lets them pass, and leaves it to the
//! compiler to refuse them, but the parser does not.

use super::lexer::{Kind, Token};
use super::rewrite::{Piece, pieces};

/// Parameters whose end has not been read.
struct List {
    /// How many brackets are open around them.
    depth: usize,
    /// Those of a lambda end with a colon, others with a bracket.
    of_lambda: bool,
    /// Whether the next word is a parameter: no default, no annotation.
    fresh: bool,
    names: Vec<String>,
}

/// `defines` tells whether the text is the definition of a function. Every byte of `out` stays where it is.
pub(super) fn make_distinct(text: &str, tokens: &[Token], mut defines: bool, out: &mut [u8]) {
    let mut lists: Vec<List> = Vec::new();
    for (piece, depth) in pieces(text, tokens, 0, 0) {
        let list = lists.last_mut().filter(|list| list.depth == depth);
        let token = match (piece, list) {
            (Piece::Word(word), _) if &text[word.clone()] == "lambda" => {
                lists.push(List { depth, of_lambda: true, fresh: true, names: Vec::new() });
                continue;
            }
            (Piece::Word(word), Some(list)) if list.fresh => {
                let name = &text[word.clone()];
                let others = (b'a'..=b'z').map(|letter| char::from(letter).to_string().repeat(name.len()));
                let name = std::iter::once(name.to_owned()).chain(others).find(|name| !list.names.contains(name));
                if let Some(name) = name {
                    out[word].copy_from_slice(name.as_bytes());
                    list.names.push(name);
                }
                list.fresh = false;
                continue;
            }
            (Piece::Byte(at), Some(list)) => {
                list.fresh &= text[at..].starts_with([' ', '\t', '\x0c', '*', '/']);
                if list.of_lambda && text[at..].starts_with(':') {
                    lists.pop();
                }
                continue;
            }
            (Piece::Word(_) | Piece::Byte(_), _) => continue,
            (Piece::Token(token), _) => token,
        };
        match token.kind {
            Kind::Open if defines && token.depth == 0 && text[token.range.clone()] == *"(" => {
                defines = false;
                lists.push(List { depth: 1, of_lambda: false, fresh: true, names: Vec::new() });
            }
            Kind::Close => lists.retain(|list| list.depth <= token.depth),
            Kind::Separator if text[token.range.clone()] == *";" => lists.clear(),
            Kind::Separator => {
                if let Some(list) = lists.last_mut().filter(|list| list.depth == token.depth) {
                    list.fresh = true;
                }
            }
            _ => {}
        }
    }
}
