//! git that cannot tell.

use crate::repository::Repository;

#[test]
fn no_repository() {
    pin!(Repository::without_git(&[]).lint(&[]));
}
