//! Random programs, of which it is known where the hits are.

mod choices;
mod generator;
mod invariants {
    pub(crate) mod annotator;
    pub(crate) mod cutter;
    pub(crate) mod detector;
    pub(crate) mod rules;
}
mod layout;
mod program;
mod splices;

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Context as _, Result, bail, ensure};
use choices::Choices;
use generator::Dialect;
use program::Program;
use xtask::lint_spawns::check::Checker;
use xtask::lint_spawns::marker::FlawKind;
use xtask::lint_spawns::policy::Markers;

/// Of each dialect.
const PROGRAMS: u64 = 1_000;

const SPLICES: u64 = 5_000;

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

/// Of programs, of fixtures, and of what these are spliced to.
#[test]
fn other_rules_and_precise_keep_to_their_own() {
    let policies = invariants::rules::policies();
    let checkers = policies.each_ref().map(|policy| Checker::new(policy).unwrap());
    let hold = |text: &str| {
        let checkers = checkers.each_ref();
        catch_unwind(AssertUnwindSafe(|| invariants::rules::hold(checkers, text)))
            .unwrap_or_else(|_| bail!("a panic"))
            .with_context(|| format!("{text:?}\n{text}"))
    };
    for number in 0..PROGRAMS {
        let bytes = choices::random_bytes(number, size(number));
        let program = generator::program(Choices::new(&bytes), Dialect::Any);
        hold(&layout::PLAIN.lay_out(&program).0).unwrap();
    }
    let fixtures = splices::fixtures();
    for fixture in &fixtures {
        hold(fixture).unwrap();
    }
    for number in 0..SPLICES {
        hold(&splices::splice(&mut Choices::new(&choices::random_bytes(number, 64)), &fixtures)).unwrap();
    }
}

#[track_caller]
fn check(dialect: Dialect) {
    let policy = invariants::detector::policy();
    let checker = Checker::new(&policy).unwrap();
    let mut policy_of_statements = invariants::detector::policy();
    policy_of_statements.markers = Markers::Statement;
    let by_statement = Checker::new(&policy_of_statements).unwrap();
    let checkers = [&checker, &by_statement];
    for number in 0..PROGRAMS {
        let bytes = choices::random_bytes(number, size(number));
        if holds(checkers, dialect, &bytes).is_err() {
            let smallest = (0..=bytes.len()).find_map(|size| holds(checkers, dialect, &bytes[..size]).err());
            panic!("program {number} of {dialect:?}: {:#}", smallest.expect("all of it is one of its beginnings"));
        }
    }
}

/// Checks the program that is made from `bytes`.
fn holds(checkers: [&Checker; 2], dialect: Dialect, bytes: &[u8]) -> Result<()> {
    let program = generator::program(Choices::new(bytes), dialect);
    let (text, _) = layout::PLAIN.lay_out(&program);
    catch_unwind(AssertUnwindSafe(|| judge(checkers, dialect, &program, &text)))
        .unwrap_or_else(|_| bail!("a panic"))
        .with_context(|| format!("{text:?}\n{text}"))
}

fn judge([checker, by_statement]: [&Checker; 2], dialect: Dialect, program: &Program, text: &str) -> Result<()> {
    for layout in [&layout::PLAIN].into_iter().chain(&layout::CHANGED) {
        let (text, planted) = layout.lay_out(program);
        let found = invariants::detector::pairs(&checker.check(text.as_bytes()));
        ensure!(found == planted, "{}: found {found:?}, not {planted:?} in {text:?}", layout.name);
    }
    // Each in its turn: all of them would take a minute.
    let layout = &layout::CHANGED[text.len() % layout::CHANGED.len()];
    for (checker, markers) in [(checker, Markers::Reference), (by_statement, Markers::Statement)] {
        let (laid_out, _) = layout.lay_out(program);
        invariants::annotator::hold(checker, markers, laid_out.as_bytes()).context(layout.name)?;
        invariants::annotator::hold(checker, markers, text.as_bytes())?;
    }
    for layout in &layout::MARKED {
        let (text, planted) = layout.lay_out(program);
        let (hits, audit) = by_statement.audit(text.as_bytes());
        let found = invariants::detector::pairs(&hits);
        ensure!(found == planted, "{}: found {found:?}, not {planted:?} in {text:?}", layout.name);
        ensure!(hits.iter().all(|hit| hit.reason.is_some()), "{}: not all of {hits:?} are marked", layout.name);
        invariants::detector::markers_know_their_hits(by_statement, &text.replace("\r\n", "\n"), &hits)?;
        let malformed = audit.flaws.iter().find(|flaw| flaw.kind == FlawKind::Malformed);
        ensure!(malformed.is_none(), "{}: {malformed:?} in {text:?}", layout.name);
    }
    invariants::cutter::hold(text)?;
    invariants::detector::hold(checker, text)?;
    if dialect == Dialect::Parser {
        let hits = checker.check(text.as_bytes());
        ensure!(invariants::detector::narrowing_hides_nothing(text, &hits)?, "the parser does not know it");
    }
    Ok(())
}
