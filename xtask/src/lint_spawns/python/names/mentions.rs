//! Where words stand in a text.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use crate::lint_spawns::python::lexer::continues_name;

/// As often as this the whole text may be searched for a word before all words are noted.
const PATIENCE: usize = 32;

#[derive(Debug)]
pub(super) struct Mentions<'t> {
    text: &'t str,
    /// How many bytes were searched.
    searched: Cell<usize>,
    /// Where each word starts, in rising order.
    noted: OnceCell<HashMap<&'t str, Vec<usize>>>,
}

impl<'t> Mentions<'t> {
    pub(super) fn new(text: &'t str) -> Mentions<'t> {
        Mentions { text, searched: Cell::new(0), noted: OnceCell::new() }
    }

    /// Where `word` starts as a whole word in a part of the text, in rising order.
    pub(super) fn of(&self, word: &str, part: Range<usize>) -> Vec<usize> {
        let searched = self.searched.get();
        if searched / PATIENCE <= self.text.len() {
            self.searched.set(searched + part.len());
            return self.search(word, part);
        }
        let noted = self.noted.get_or_init(|| words(self.text)).get(word).map_or(&[][..], Vec::as_slice);
        let start = noted.partition_point(|&at| at < part.start);
        let end = noted.partition_point(|&at| at < part.end);
        noted.get(start..end).unwrap_or_default().to_vec()
    }

    fn search(&self, word: &str, part: Range<usize>) -> Vec<usize> {
        let bytes = self.text.as_bytes();
        let is_name = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|&byte| continues_name(byte));
        memmem::find_iter(&bytes[part.clone()], word)
            .map(|at| part.start + at)
            .filter(|at| !is_name(at.checked_sub(1)) && !is_name(Some(at + word.len())))
            .collect()
    }
}

fn words(text: &str) -> HashMap<&str, Vec<usize>> {
    let mut words: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut rest = 0..text.len();
    let is_part = |byte: &u8| continues_name(*byte);
    while let Some(start) = text.as_bytes()[rest.clone()].iter().position(is_part) {
        let start = rest.start + start;
        let length = text.as_bytes()[start..].iter().take_while(|byte| is_part(byte)).count();
        words.entry(&text[start..start + length]).or_default().push(start);
        rest.start = start + length;
    }
    words
}
