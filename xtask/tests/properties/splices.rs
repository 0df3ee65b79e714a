//! Texts that are made of pieces of the fixtures.

use camino::Utf8Path;
use xtask::lint_spawns::source;

use super::choices::Choices;

/// What begins or ends a string, bracket, line, comment or block where it should not.
const NOISE: [&str; 16] =
    ["", "", "", "", "\"\"\"", "'''", "\"", "'", "(", ")", "\\\n", "\n", "# ", "    ", ": ", "f'{"];

/// The texts of all fixtures, in order of their paths.
pub(crate) fn fixtures() -> Vec<String> {
    let mut folders = vec![Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir_utf8().unwrap().map(Result::unwrap) {
            let path = entry.into_path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some("py") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().map(|path| source::decode(&std::fs::read(path).unwrap()).into_owned()).collect()
}

/// A few lines of one fixture, then a few of another, with some noise between.
pub(crate) fn splice(choices: &mut Choices, fixtures: &[String]) -> String {
    let mut text = String::new();
    for _ in 0..2 + choices.below(3) {
        let lines: Vec<&str> = fixtures[choices.below(fixtures.len())].split_inclusive('\n').collect();
        let from = choices.below(lines.len() + 1);
        let count = choices.below(lines.len() - from + 1);
        let mut piece = lines[from..from + count].concat();
        let noise = choices.pick(&NOISE);
        let start = choices.below(piece.len() + 1);
        let place = (start..=piece.len()).find(|at| piece.is_char_boundary(*at)).unwrap_or_default();
        piece.insert_str(place, noise);
        text += &piece;
    }
    text
}
