//! What code scanning collects. Every log is held against the standard's own schema.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use crate::repository::{Repository, policy};
use crate::{MARKED, SPAWN};

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let mut schema: Value = serde_json::from_str(include_str!("../sarif/sarif-schema-2.1.0.json")).unwrap();
    // It has a bracket too many, which not every reader of patterns lets pass; we name no language.
    for place in ["run", "toolComponent"] {
        let language = schema["definitions"][place]["properties"]["language"].as_object_mut().unwrap();
        assert_eq!(language.remove("pattern").unwrap(), "^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$");
    }
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
});

/// A run, whose log is proved, without what it says of the rules.
fn lint(repository: &Repository, arguments: &[&str]) -> String {
    let shown = repository.lint_as("sarif", arguments);
    prove(&log(&shown));
    without_rules(&shown)
}

fn log(shown: &str) -> Value {
    let (_, rest) = shown.split_once("----- stdout\n").unwrap();
    let (log, _) = rest.split_once("----- stderr\n").unwrap();
    serde_json::from_str(&log.replace("file://ROOT", "file:///ROOT")).unwrap()
}

fn without_rules(shown: &str) -> String {
    let (before, rest) = shown.split_once("          \"rules\": [\n").unwrap();
    let (_, after) = rest.split_once("\n          ]\n").unwrap();
    format!("{before}          \"rules\": […]\n{after}")
}

/// By the schema, and by what the standard asks beyond it.
fn prove(log: &Value) {
    let wrong: Vec<String> =
        SCHEMA.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let mut fingerprints = BTreeSet::new();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"], "{result}");
        let fingerprint = result["partialFingerprints"]["lintSpawns/v1"].as_str().unwrap();
        assert!(fingerprints.insert(fingerprint), "not the only one: {result}");
        assert!(result["suppressions"].is_array(), "{result}");
        prove_message(&result["message"]);
        let location = &result["locations"][0]["physicalLocation"];
        let snippet = |region: &str| location[region]["snippet"]["text"].as_str();
        if let Some(context) = snippet("contextRegion") {
            let region = snippet("region").unwrap();
            assert!(context.len() > region.len() && context.contains(region), "no more than the region: {location}");
        }
    }
    for notification in run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap() {
        prove_message(&notification["message"]);
    }
    for base in run["originalUriBaseIds"].as_object().unwrap().values() {
        let uri = base["uri"].as_str().unwrap();
        assert!(uri.starts_with("file:///") && uri.ends_with('/'), "{uri}");
    }
}

/// There are no arguments, so that all braces have to be doubled.
fn prove_message(message: &Value) {
    let text = message["text"].as_str().unwrap().replace("{{", "").replace("}}", "");
    assert!(!text.contains(['{', '}']), "{message}");
}

/// Of each result: the rule, whether it is suppressed, the fingerprint.
fn fingerprints(repository: &Repository, arguments: &[&str]) -> Vec<(String, bool, String)> {
    let log = log(&repository.lint_as("sarif", arguments));
    prove(&log);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let results = log["runs"][0]["results"].as_array().unwrap().iter().map(|result| {
        let suppressed = !result["suppressions"].as_array().unwrap().is_empty();
        (text(&result["ruleId"]), suppressed, text(&result["partialFingerprints"]["lintSpawns/v1"]))
    });
    results.collect()
}

#[test]
fn sarif() {
    let class = "class A:\n    def f(self):\n        os.setsid()\n";
    let repository = Repository::new(&[
        ("marked.py", MARKED),
        ("over.py", &SPAWN.repeat(2)),
        ("several.py", "\tf(process_group=0, preexec_fn=os.setsid,\n\t  start_new_session=g(\n1))  # é\n"),
        ("string.py", "x = f'''\n{f(start_new_session=True)}\n'''\n"),
        ("tolerated.py", class),
        ("unparsable.py", "os.setsid(\n"),
        ("pyproject.toml", &policy("[tool.lint-spawns.baseline]\n'over.py' = 1\n'tolerated.py' = {'A.f' = 1}\n")),
    ]);
    pin!(lint(&repository, &[]));
    let all = fingerprints(&repository, &[]);
    let left: Vec<_> = all.into_iter().filter(|(_, suppressed, _)| !suppressed).collect();
    assert_eq!(fingerprints(&repository, &["--quiet"]), left);
}

#[test]
fn sarif_of_a_clean_run_with_its_rules() {
    let repository = Repository::new(&[("run.py", "x = 1\n")]);
    let shown = repository.lint_as("sarif", &["--select", "os-setsid,double-fork"]);
    prove(&log(&shown));
    pin!(shown);
}

#[test]
fn sarif_of_all_rules() {
    let repository = Repository::new(&[("run.py", "import os as o\no.setsid()\n")]);
    pin!(lint(&repository, &["--select", "all"]));
}

#[test]
fn sarif_of_dropped_hits() {
    let repository = Repository::new(&[("run.py", "f(start_new_session='')\nif False:\n    os.setsid()\n")]);
    pin!(lint(&repository, &["--precise"]));
}

#[test]
fn sarif_of_markers_and_entries_that_are_wrong() {
    let table = "include = ['.', 'gone']\n[tool.lint-spawns.baseline]\n'gone.py' = 2\n'run.py' = { 'é' = 1 }\n";
    let repository = Repository::new(&[
        ("run.py", "f(start_new_session=False)  # detached-spawn: ok - it is none\n# detached-spawn: ok\n"),
        ("pyproject.toml", &policy(table)),
    ]);
    let strict = ["--strict-markers", "--strict-baseline"];
    let quiet = fingerprints(&repository, &["--quiet"]);
    assert_eq!(quiet, []);
    assert_eq!(fingerprints(&repository, &[&strict[..], &["--quiet"]].concat()), fingerprints(&repository, &[]));
    pin!(
        lint(&repository, &[])
            + &lint(&repository, &strict)
            + &lint(&repository, &[&strict[..], &["--exit-zero"]].concat())
    );
}

#[test]
fn sarif_of_what_cannot_be_checked() {
    let repository = Repository::new(&[("tests/run.py", SPAWN), ("marked.py", MARKED), ("spawn.py", SPAWN)]);
    repository.write("wide.py", b"\xff\xfe");
    repository.track();
    let all: [&[&str]; 3] = [&["tests"], &["wide.py", "spawn.py", "tests"], &["gone.py"]];
    let all = all.map(|arguments| lint(&repository, arguments)).concat();
    let cannot_begin = repository.lint_as("sarif", &["--root", "gone"]);
    let refused = repository.lint(&["--print-baseline", "--format", "sarif"]);
    pin!(all + &cannot_begin + &refused);
}

#[test]
fn sarif_below_the_top() {
    let repository = Repository::new(&[
        ("app/run.py", SPAWN),
        ("app/Cargo.toml", "[workspace.metadata.lint-spawns.baseline]\n\"gone.py\" = 1\n"),
    ]);
    let outside = Repository::without_git(&[("a b.py", SPAWN), ("b #/run.py", SPAWN)]);
    let path = outside.path().join("a b.py");
    let mut all = lint(&repository, &["--root", "app"]) + &lint(&outside, &["a b.py"]);
    let elsewhere = outside.lint_in("b #", &["--format", "sarif", "run.py"]);
    prove(&log(&elsewhere));
    all += &without_rules(&elsewhere);
    let log = log(&repository.lint_as("sarif", &[path.as_str()]));
    prove(&log);
    let location = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    all += &format!("=== outside\n{location}\n").replace(outside.path().as_str(), "OUTSIDE");
    pin!(all);
}

/// The caret of other formats: columns are in characters, and a byte order mark is none.
#[test]
fn sarif_places() {
    let repository = Repository::new(&[
        ("byte_order_mark.py", "\u{feff}os.setsid()"),
        ("carriage_returns.py", "x = 1\r\nf('𝒳', start_new_session=g(\r\n  1))\r\n"),
        ("old_macintosh.py", "x = 1\ros.setsid\rf(start_new_session=\r1\r)"),
    ]);
    pin!(lint(&repository, &[]));
}

#[cfg(unix)]
#[test]
fn sarif_of_awkward_names() {
    let name = "a: é%20#?\\b\n\u{1b}[2K\u{202e}##[x].py";
    let source = "os.setsid()  # \u{1b}\t##[error]\u{2028} detached-spawn: ok - {0} [x](1) \u{2066}\n";
    let repository = Repository::new(&[(name, source)]);
    let log = log(&repository.lint_as("sarif", &[]));
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["suppressions"][0]["justification"], "{0} [x](1) \u{2066}");
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(location["contextRegion"]["snippet"]["text"], source.trim_end_matches('\n'));
    pin!(lint(&repository, &[]));
}

/// What would be an argument's place is text.
#[test]
fn sarif_of_braces() {
    let repository = Repository::new(&[
        ("{0}.py", "os.setsid()\n"),
        ("{1}.txt", ""),
        ("pyproject.toml", &policy("advice = '{0} {{1}} }{ {'\n")),
    ]);
    pin!(lint(&repository, &["{0}.py", "{1}.txt", "{2}.py"]));
}

#[test]
fn sarif_knows_results_again() {
    let text = "def f():\n    os.setsid()\n    os.setsid()\n\ndef g():\n    os.setsid()  # é\n# detached-spawn: ok\n";
    let repository = Repository::new(&[("run.py", text)]);
    let before = fingerprints(&repository, &[]);
    repository.write("run.py", text.replace("def f", "# moved\n\nx = 1\ndef f").replace("    ", "\t"));
    assert_eq!(fingerprints(&repository, &[]), before);
    repository.write("run.py", text.replace("def f():", "def f():\n    # detached-spawn: ok - it is meant"));
    let marked = fingerprints(&repository, &[]);
    assert_eq!(
        marked.iter().map(|(.., fingerprint)| fingerprint).collect::<Vec<_>>(),
        before.iter().map(|(.., fingerprint)| fingerprint).collect::<Vec<_>>()
    );
    assert_ne!(marked, before);
    repository.write("run.py", text.replace("def g", "def h"));
    let differ = before.iter().zip(fingerprints(&repository, &[])).map(|(a, b)| *a != b);
    assert_eq!(differ.collect::<Vec<_>>(), [false, false, true, false]);
    repository.write("other.py", text);
    repository.track();
    // Proves that no two are the same.
    assert_eq!(fingerprints(&repository, &[]).len(), 8);
}
