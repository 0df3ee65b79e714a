//! Whole runs in throw-away folders and git repositories: arguments, exit code, standard output and standard error.

/// Pins a run in the snapshot `cli__<name of the test>`, beside those of the fixtures, whatever module the test is in.
macro_rules! pin {
    ($shown:expr) => {{
        fn here() {}
        let name = std::any::type_name_of_val(&here).trim_end_matches("::here");
        let test = name.rsplit("::").next().unwrap_or(name);
        insta::with_settings!({
            snapshot_path => "../../../snapshots", prepend_module_to_snapshot => false, omit_expression => true
        }, {
            insta::assert_snapshot!(format!("cli__{test}"), $shown);
        });
    }};
}

mod alone;
mod baseline;
mod baseline_edit;
mod bench;
mod ci;
#[cfg(unix)]
mod ci_ends;
mod full;
mod git;
mod github;
mod given;
mod init;
mod inputs;
mod json;
mod markers;
mod markers_add;
mod matcher;
mod output;
mod partial;
mod partial_git;
mod paths;
#[cfg(unix)]
mod permissions;
mod policy;
mod repository;
mod rule;
mod sarif;
mod scope;
mod scrub;
mod select;
mod stat;
#[cfg(target_os = "linux")]
mod terminal;

const SPAWN: &str = "import subprocess\nsubprocess.Popen(['a'], start_new_session=True)\n";
const MARKED: &str =
    "import subprocess\n# detached-spawn: ok — it restarts us\nsubprocess.Popen(['a'], process_group=0)\n";
