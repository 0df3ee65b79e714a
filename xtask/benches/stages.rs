//! What each stage of lint-spawns takes by itself: `cargo bench`, or `cargo bench -- cut`.

use std::fs;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use camino::Utf8Path;
use divan::Bencher;
use divan::counter::BytesCount;
use rustpython_parser::{Parse as _, ast};
use xtask::bench::monorepo::{Planted, module_of};
use xtask::lint_spawns::check::Checker;
use xtask::lint_spawns::detect;
use xtask::lint_spawns::policy::Policy;
use xtask::lint_spawns::python::statement;
use xtask::lint_spawns::python::tree::Tree;
use xtask::lint_spawns::rule::Rule;

fn main() {
    divan::main();
}

/// The first leaves nothing to do for the stages after the search.
const INPUTS: [&str; 4] = ["no needle", "one spawn", "many spawns", "hermes"];

fn input(name: &str) -> String {
    match name {
        "hermes" => hermes(),
        "no needle" => module_of(1_000_000, Planted::Nothing),
        "one spawn" => module_of(1_000_000, Planted::Spawn),
        // Some 1,000 of some 1,000 bytes.
        _ => (500..1_500).map(|size| module_of(size, Planted::Spawn)).collect(),
    }
}

/// The Python of the model of a monorepo, one file after the other.
fn hermes() -> String {
    let mut text = String::new();
    let mut folders = vec![Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/hermes")];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir_utf8().unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                folders.push(entry.path().to_owned());
            } else if entry.path().extension() == Some("py") {
                text += &fs::read_to_string(entry.path()).unwrap();
            }
        }
    }
    text
}

/// Where the needles of the default rules are.
fn needles(text: &str) -> Vec<Range<usize>> {
    let words = Rule::ALL.iter().flat_map(|rule| rule.needles());
    let needles = AhoCorasick::new(words).unwrap();
    needles.find_iter(text).map(|found| found.range()).collect()
}

/// Each statement that mentions a needle, made complete.
fn modules(text: &str) -> Vec<String> {
    let needles = needles(text);
    let readings = statement::cut(text, &needles).filter_map(|statement| statement.readings().next());
    readings.flatten().map(|module| module.source).collect()
}

#[divan::bench(args = &INPUTS[1..])]
fn cut(bencher: Bencher, name: &str) {
    let text = input(name);
    let needles = needles(&text);
    bencher.counter(BytesCount::of_str(&text)).bench(|| statement::cut(&text, &needles).count());
}

/// Bytes are those of the statements.
#[divan::bench(args = &INPUTS[1..])]
fn parse(bencher: Bencher, name: &str) {
    let modules = modules(&input(name));
    let bytes: usize = modules.iter().map(String::len).sum();
    let parse = || modules.iter().filter(|module| ast::Suite::parse(module, "").is_ok()).count();
    bencher.counter(BytesCount::new(bytes)).bench(parse);
}

/// Bytes are those of the statements.
#[divan::bench(args = &INPUTS[1..])]
fn detect(bencher: Bencher, name: &str) {
    let modules = modules(&input(name));
    let bytes: usize = modules.iter().map(String::len).sum();
    let trees: Vec<ast::Suite> = modules.iter().filter_map(|module| ast::Suite::parse(module, "").ok()).collect();
    let detect = || trees.iter().map(|tree| detect::detect(&Tree::new(tree, 0, 0), &[]).len()).sum::<usize>();
    bencher.counter(BytesCount::new(bytes)).bench(detect);
}

#[divan::bench(args = INPUTS)]
fn whole_file(bencher: Bencher, name: &str) {
    let text = input(name);
    let folder = tempfile::tempdir().unwrap();
    let policy = Policy::load(Utf8Path::from_path(folder.path()).unwrap(), None).unwrap();
    let checker = Checker::new(&policy).unwrap();
    bencher.counter(BytesCount::of_str(&text)).bench(|| checker.check(text.as_bytes()));
}
