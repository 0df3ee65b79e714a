//! Gives parameters that have the same name different ones: Python's grammar lets them pass, and leaves it to the
//! compiler to refuse them, but the parser does not.

use super::lexer::{Kind, Token, word_at};

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
    let mut at = 0;
    let end_of_text = Token { kind: Kind::Newline, range: text.len()..text.len(), depth: 0 };
    for token in tokens.iter().chain(std::iter::once(&end_of_text)) {
        // A closing bracket is outside what it ends.
        let depth = token.depth + usize::from(matches!(token.kind, Kind::Close | Kind::FieldClose));
        while at < token.range.start {
            let place = word_at(text, at);
            let word = &text[place.clone()];
            let list = lists.last_mut().filter(|list| list.depth == depth);
            match (word, list) {
                ("lambda", _) => lists.push(List { depth, of_lambda: true, fresh: true, names: Vec::new() }),
                ("", Some(list)) if text.as_bytes()[at] == b':' && list.of_lambda => drop(lists.pop()),
                ("", Some(list)) => list.fresh &= text[at..].starts_with([' ', '\t', '\x0c', '*', '/']),
                (word, Some(list)) if list.fresh => {
                    let taken = |name: &String| list.names.contains(name);
                    let others = (b'a'..=b'z').map(|letter| char::from(letter).to_string().repeat(word.len()));
                    let name = std::iter::once(word.to_owned()).chain(others).find(|name| !taken(name));
                    if let Some(name) = name {
                        out[place.clone()].copy_from_slice(name.as_bytes());
                        list.names.push(name);
                    }
                    list.fresh = false;
                }
                _ => {}
            }
            at = place.end.max(at + 1);
        }
        at = token.range.end;
        match token.kind {
            Kind::Open if defines && token.depth == 0 && text[token.range.clone()] == *"(" => {
                defines = false;
                lists.push(List { depth: 1, of_lambda: false, fresh: true, names: Vec::new() });
            }
            Kind::Close | Kind::FieldClose => lists.retain(|list| list.depth <= token.depth),
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
