//! A search for many words at once.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::packed::{self, Searcher};
use aho_corasick::{AhoCorasick, Input, MatchKind, Span};

use super::python::lexer::continues_name;

/// Looks for all needles at once; of two at one place for the longer.
#[derive(Debug)]
pub enum Needles {
    /// By vector instructions, which tell most places from a needle by four bytes at a time.
    Packed(Searcher),
    /// For processors without them, and for very many needles.
    Automaton(AhoCorasick),
}

impl Needles {
    pub fn new<'a>(words: impl Iterator<Item = &'a str>) -> anyhow::Result<Needles> {
        // The search is the faster the fewer there are.
        let words: Vec<&str> = BTreeSet::from_iter(words).into_iter().collect();
        let packed =
            packed::Config::new().match_kind(packed::MatchKind::LeftmostLongest).builder().extend(&words).build();
        if let Some(packed) = packed {
            return Ok(Needles::Packed(packed));
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&words)?;
        Ok(Needles::Automaton(automaton))
    }

    /// Where one stands as a whole word.
    pub fn mentions(&self, text: &[u8]) -> impl Iterator<Item = Range<usize>> {
        let is_name = |at: Option<usize>| {
            at.and_then(|at| text.get(at)).is_some_and(|&byte: &u8| byte.is_ascii() && continues_name(byte))
        };
        self.find_iter(text).filter(move |range| {
            let starts_inside = is_name(Some(range.start)) && is_name(range.start.checked_sub(1));
            let ends_inside = is_name(range.end.checked_sub(1)) && is_name(Some(range.end));
            !starts_inside && !ends_inside
        })
    }

    /// Where one stands, be it as a part of a word.
    pub fn find_iter(&self, text: &[u8]) -> impl Iterator<Item = Range<usize>> {
        let mut rest = Span::from(0..text.len());
        std::iter::from_fn(move || {
            let found = match self {
                Needles::Packed(searcher) => searcher.find_in(text, rest),
                Needles::Automaton(automaton) => automaton.find(Input::new(text).span(rest)),
            }?;
            rest.start = found.end();
            Some(found.range())
        })
    }
}
