//! Random programs, of which it is known where the hits are.

mod choices;
mod generator;
mod invariants {
    pub(crate) mod annotator;
    pub(crate) mod cutter;
    pub(crate) mod detector;
}
mod layout;
mod program;

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Context as _, Result, bail, ensure};
use choices::Choices;
use generator::Dialect;
use program::Program;
use xtask::lint_spawns::check::Checker;

/// Of each dialect.
const PROGRAMS: u64 = 1_000;

/// Programs get larger, so the first one that fails is about as small as can be.
fn size(number: u64) -> usize {
    usize::try_from(8 + number / 3).expect("a small number")
}

#[test]
fn hits_are_where_the_generator_put_them() {
    check(Dialect::Any);
}

#[test]
fn hits_are_those_without_narrowing() {
    check(Dialect::Parser);
}

#[track_caller]
fn check(dialect: Dialect) {
    let policy = invariants::detector::policy();
    let checker = Checker::new(&policy).unwrap();
    for number in 0..PROGRAMS {
        let bytes = choices::random_bytes(number, size(number));
        if holds(&checker, dialect, &bytes).is_err() {
            let smallest = (0..=bytes.len()).find_map(|size| holds(&checker, dialect, &bytes[..size]).err());
            panic!("program {number} of {dialect:?}: {:#}", smallest.expect("all of it is one of its beginnings"));
        }
    }
}

/// Checks the program that is made from `bytes`.
fn holds(checker: &Checker, dialect: Dialect, bytes: &[u8]) -> Result<()> {
    let program = generator::program(Choices::new(bytes), dialect);
    let (text, _) = layout::PLAIN.lay_out(&program);
    catch_unwind(AssertUnwindSafe(|| judge(checker, dialect, &program, &text)))
        .unwrap_or_else(|_| bail!("a panic"))
        .with_context(|| format!("{text:?}\n{text}"))
}

fn judge(checker: &Checker, dialect: Dialect, program: &Program, text: &str) -> Result<()> {
    for layout in [&layout::PLAIN].into_iter().chain(&layout::CHANGED) {
        let (text, planted) = layout.lay_out(program);
        let found = invariants::detector::pairs(&checker.check(text.as_bytes()));
        ensure!(found == planted, "{}: found {found:?}, not {planted:?} in {text:?}", layout.name);
    }
    // Each in its turn: all of them would take a minute.
    let layout = &layout::CHANGED[text.len() % layout::CHANGED.len()];
    invariants::annotator::hold(checker, layout.lay_out(program).0.as_bytes()).context(layout.name)?;
    invariants::annotator::hold(checker, text.as_bytes())?;
    invariants::cutter::hold(text)?;
    invariants::detector::hold(checker, text)?;
    if dialect == Dialect::Parser {
        let hits = checker.check(text.as_bytes());
        ensure!(invariants::detector::narrowing_hides_nothing(text, &hits)?, "the parser does not know it");
    }
    Ok(())
}
