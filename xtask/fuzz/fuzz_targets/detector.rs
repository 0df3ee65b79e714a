//! Any bytes, checked as a file is.

#![no_main]

#[path = "../../tests/properties/invariants/detector.rs"]
mod invariants;

use std::sync::LazyLock;

use xtask::lint_spawns::check::Checker;
use xtask::lint_spawns::policy::Policy;
use xtask::lint_spawns::source;

static POLICY: LazyLock<Policy> = LazyLock::new(invariants::policy);
static CHECKER: LazyLock<Checker> = LazyLock::new(|| Checker::new(&POLICY).expect("the policy is a good one"));

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // What is dropped from the bytes may have been in the middle of a needle; so hits of the text are compared.
    CHECKER.check(bytes);
    if let Err(broken) = invariants::hold(&CHECKER, &source::decode(bytes)) {
        panic!("{broken}");
    }
});
