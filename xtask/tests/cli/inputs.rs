//! Files that cannot be checked.

use std::fs;

use crate::repository::Repository;

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_opened() {
    use std::os::unix::fs::symlink;
    let repository = Repository::new(&[("run.py", "x = 1\n"), ("folder.py", "x = 1\n")]);
    let root = repository.path();
    symlink("/dev/zero", root.join("device.py")).unwrap();
    symlink("loop.py", root.join("loop.py")).unwrap();
    repository.git(&["add", "--all"]);
    fs::remove_file(root.join("folder.py")).unwrap();
    fs::create_dir(root.join("folder.py")).unwrap();
    pin!(repository.lint(&[]));
}
