//! Any bytes, checked by all rules and with `precise`.

#![no_main]

#[path = "../../tests/properties/invariants/detector.rs"]
#[expect(dead_code, reason = "the other target's part of it")]
mod detector;
#[path = "../../tests/properties/invariants/rules.rs"]
mod rules;

use std::sync::LazyLock;

use xtask::lint_spawns::check::Checker;
use xtask::lint_spawns::policy::Policy;
use xtask::lint_spawns::source;

static POLICIES: LazyLock<[Policy; 3]> = LazyLock::new(rules::policies);
static CHECKERS: LazyLock<[Checker; 3]> =
    LazyLock::new(|| POLICIES.each_ref().map(|policy| Checker::new(policy).expect("the policy is a good one")));

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(broken) = rules::hold(CHECKERS.each_ref(), &source::decode(bytes)) {
        panic!("{broken}");
    }
});
