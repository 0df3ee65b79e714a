//! How files are changed. What forbids it is tested where whole runs are.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use xtask::lint_spawns::write::{create, replace};

const OLD: &[u8] = b"old\r\n\xff";
const NEW: &[u8] = b"new and longer\n";

/// A folder with the file `file`, and that file's path.
fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap().join("file");
    fs::write(&path, OLD).unwrap();
    (folder, path)
}

#[track_caller]
fn check(path: &Utf8Path, expected: &[u8]) {
    assert_eq!(fs::read(path).unwrap(), expected);
    let names = path.parent().unwrap().read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned());
    assert_eq!(names.filter(|name| name.contains("lint-spawns")).count(), 0, "a draft is left");
}

#[test]
fn the_new_text_takes_the_place_of_the_old() {
    let (_folder, path) = folder();
    replace(&path, OLD, NEW).unwrap();
    check(&path, NEW);
    replace(&path, NEW, b"").unwrap();
    check(&path, b"");
}

#[test]
fn what_was_changed_meanwhile_stays() {
    let (_folder, path) = folder();
    let err = replace(&path, b"older", NEW).unwrap_err();
    assert_eq!(format!("{err:#}"), "it was changed by another program meanwhile; run again");
    check(&path, OLD);
    fs::remove_file(&path).unwrap();
    replace(&path, OLD, NEW).unwrap_err();
    assert!(!path.exists());
}

/// To root too, whom nothing is forbidden.
#[test]
fn what_is_read_only_stays() {
    let (_folder, path) = folder();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let err = replace(&path, OLD, NEW).unwrap_err();
    assert_eq!(format!("{err:#}"), "it is read-only; make it writable");
    check(&path, OLD);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let (folder, path) = folder();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o2751)).unwrap();
    let link = path.with_file_name("link");
    symlink("file", &link).unwrap();
    let other = tempfile::tempdir_in(folder.path()).unwrap();
    let far = Utf8Path::from_path(other.path()).unwrap().join("far");
    symlink("../link", &far).unwrap();
    replace(&far, OLD, NEW).unwrap();
    check(&path, NEW);
    assert_eq!(fs::read_link(&link).unwrap(), Utf8Path::new("file"));
    assert_eq!(fs::read_link(&far).unwrap(), Utf8Path::new("../link"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o2751);
}

#[test]
fn a_new_file_takes_no_others_place() {
    let (folder, path) = folder();
    let err = create(&path, NEW).unwrap_err();
    assert_eq!(format!("{err:#}"), "another program made it meanwhile; run again");
    check(&path, OLD);
    let new = path.with_file_name("new");
    create(&new, NEW).unwrap();
    check(&new, NEW);
    // Not even that of a link that leads nowhere.
    #[cfg(unix)]
    {
        let link = path.with_file_name("link");
        std::os::unix::fs::symlink("gone", &link).unwrap();
        create(&link, NEW).unwrap_err();
        assert!(!path.with_file_name("gone").exists());
    }
    let nowhere = Utf8Path::from_path(folder.path()).unwrap().join("none/file");
    create(&nowhere, NEW).unwrap_err();
    assert!(!nowhere.exists());
}

/// It has those that any program gives a new file.
#[cfg(unix)]
#[test]
fn a_new_file_has_the_usual_permissions() {
    let (_folder, path) = folder();
    let new = path.with_file_name("new");
    create(&new, NEW).unwrap();
    let permissions = |path: &Utf8Path| fs::metadata(path).unwrap().permissions();
    assert_eq!(permissions(&new), permissions(&path));
}
