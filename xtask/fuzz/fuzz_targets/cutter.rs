//! Any bytes, cut into logical lines and completed to modules.

#![no_main]

#[path = "../../tests/properties/invariants/cutter.rs"]
mod invariants;

use xtask::lint_spawns::source;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(broken) = invariants::hold(&source::decode(bytes)) {
        panic!("{broken}");
    }
});
