//! A panic becomes an error that says where and why, and prints nothing.

use xtask::bug::caught;

#[test]
fn a_panic_is_an_error() {
    let found: Vec<u8> = Vec::new();
    let error = caught(|| found[found.len()]).unwrap_err().to_string();
    assert!(error.starts_with("a bug in this program, please report it: panicked at "), "{error}");
    assert!(error.ends_with("index out of bounds: the len is 0 but the index is 0"), "{error}");
}

#[test]
fn work_that_ends_well_returns() {
    assert_eq!(caught(|| 1).unwrap(), 1);
}
