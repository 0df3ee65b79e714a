//! Which commands detach a child, and how far it gets.

use xtask::lint_spawns::command::{Detached, PROGRAMS, UNKNOWN, Word, argv, shell};
use xtask::lint_spawns::rule::{Rule, Strength};

const GROUP: Option<Strength> = Some(Strength::Group);
const SESSION: Option<Strength> = Some(Strength::Session);
const OUT_OF_REACH: Option<Strength> = Some(Strength::OutOfReach);
const CLEAN: Option<Strength> = None;

/// Commands of which the program decides. `…` is a part that is not known, `*` any number of words.
#[track_caller]
fn check(expected: Option<Strength>, commands: &[&str]) {
    for command in commands {
        let detached = argv(&words(command.split(' ')));
        let expected = expected.map(|strength| Detached { rule: Rule::ArgvDetacher, strength, word: 0 });
        assert_eq!(detached, expected, "{command}");
        // A shell would make the same words of it.
        let strength = shell(&command.replace("; ", "\\; ").replace('*', "$@").replace('…', "\"$1\""));
        assert_eq!(strength, expected.map(|detached| detached.strength), "{command}, run by a shell");
    }
}

/// Texts for a shell.
#[track_caller]
fn check_text(expected: Option<Strength>, texts: &[&str]) {
    for text in texts {
        assert_eq!(shell(&text.replace('…', &UNKNOWN.to_string())), expected, "{text}");
    }
}

/// Commands of which one word is a text for a shell, and the place of that word.
#[track_caller]
fn check_shell(expected: Option<(Strength, usize)>, commands: &[&[&str]]) {
    for command in commands {
        let expected = expected.map(|(strength, word)| Detached { rule: Rule::ShellBackground, strength, word });
        assert_eq!(argv(&words(command.iter().copied())), expected, "{command:?}");
    }
}

fn words<'a>(words: impl Iterator<Item = &'a str>) -> Vec<Word> {
    words
        .map(|word| if word == "*" { Word::Many } else { Word::One(word.replace('…', &UNKNOWN.to_string())) })
        .collect()
}

#[test]
fn programs_that_always_detach() {
    check(
        SESSION,
        &[
            "setsid srv",
            "setsid",
            "setsid *",
            "setsid …",
            "/usr/bin/setsid srv",
            "…/bin/setsid srv",
            "setsid -f srv",
            "setsid -fw srv",
            "setsid --fork srv --help",
            "setsid -- --version",
        ],
    );
    check(GROUP, &["nohup srv", "/usr/bin/nohup srv", "nohup srv --version", "nohup -- srv", "./nohup srv"]);
    check(
        OUT_OF_REACH,
        &[
            "systemd-run srv",
            "systemd-run --user --unit=srv srv",
            "systemd-run --scope srv --help",
            "daemonize /usr/bin/srv",
            "/usr/sbin/daemonize -p /run/srv.pid -l /run/srv.lock /usr/bin/srv",
            "start-stop-daemon --start --exec /usr/bin/srv",
            "start-stop-daemon -S -b -m -p /run/srv.pid -x /usr/bin/srv -- -K",
            "start-stop-daemon -Sbmp /run/srv.pid --exec /usr/bin/srv -- --stop",
            "start-stop-daemon --name --stop -S",
            "at now",
            "at -f job now + 1 minute",
            "at -q l -m noon",
            "at -ql noon",
            "at -t 202601010000",
            "batch",
            "batch -f job",
        ],
    );
    check(
        CLEAN,
        &[
            "setsid --help",
            "setsid -h",
            "setsid --version",
            "setsid -wV",
            "nohup --version",
            "nohup --help",
            "systemd-run --version",
            "systemd-run --user --help",
            "start-stop-daemon --stop --pidfile /run/srv.pid",
            "start-stop-daemon --pidfile /run/srv.pid --retry 5 --stop",
            "start-stop-daemon -K -p /run/srv.pid",
            "start-stop-daemon -oKq -p /run/srv.pid",
            "start-stop-daemon -p /run/srv.pid -T",
            "start-stop-daemon --status --exec /usr/bin/srv",
            "start-stop-daemon --test -S -x /usr/bin/srv",
            "at -l",
            "at -q x -l",
            "at -qx -l",
            "at -d 1",
            "at -r 1",
            "at -c 1",
            "at -V",
            "batch -V",
        ],
    );
}

#[test]
fn busybox() {
    let detached = argv(&words("busybox setsid srv".split(' ')));
    assert_eq!(detached, Some(Detached { rule: Rule::ArgvDetacher, strength: Strength::Session, word: 1 }));
    check(CLEAN, &["busybox", "busybox ls", "busybox * setsid", "busybox … setsid", "busybox setsid --help"]);
}

#[test]
fn other_programs() {
    check(
        CLEAN,
        &[
            "srv nohup",
            "which nohup",
            "man nohup",
            "echo setsid srv",
            "nohup.sh srv",
            "mynohup srv",
            "nohup/ srv",
            "nohup/srv",
            "NOHUP srv",
            "nohup… srv",
            "…nohup srv",
            "… nohup srv",
            "* nohup srv",
            "…",
            "*",
            "atq",
            "atrm 1",
            "systemctl start srv",
            "systemd srv",
            "daemon srv",
            "docker-compose up -d",
            "screenfetch -dm",
            "tmuxinator new -d",
            "cmdtool /c start",
        ],
    );
    assert_eq!(argv(&[]), None);
    assert_eq!(argv(&words([""].into_iter())), None);
    assert_eq!(argv(&words(["start", "srv"].into_iter())), None, "it is built into the shell");
}

#[test]
fn tmux() {
    check(
        OUT_OF_REACH,
        &[
            "tmux new -d",
            "tmux new-session -d",
            "tmux new-s -d",
            "tmux new-session -d -s srv",
            "tmux new-session -s srv -d",
            "tmux new -s … -d …",
            "tmux new -s * -d",
            "tmux new * -d",
            "tmux new -dP",
            "tmux new -AdP -s srv",
            "tmux new -Ad",
            "tmux new -dsname",
            "tmux new -ds name srv",
            "tmux new -x 80 -y 24 -n w -c / -e A=b -f x -F y -t z -d",
            "tmux -L socket -f /dev/null new -d",
            "tmux -S … new -d",
            "tmux -2uLsocket new -d",
            "tmux -L * new -d",
            "tmux * new -d",
            "/usr/local/bin/tmux new -d",
            "tmux start-server ; new -d",
            "tmux new -d -s srv ; set status off",
        ],
    );
    check(
        CLEAN,
        &[
            "tmux",
            "tmux new",
            "tmux new -s srv",
            "tmux new -D",
            "tmux new -s d",
            "tmux new -s -d",
            "tmux new -sd",
            "tmux new -As d",
            "tmux new -n -d -s x",
            "tmux new srv -d",
            "tmux new -s x srv -d",
            "tmux new -- -d",
            "tmux new … -d",
            "tmux … -d",
            "tmux new-window -d",
            "tmux neww -d",
            "tmux split-window -d",
            "tmux new- -d",
            "tmux ne -d",
            "tmux new-sessions -d",
            "tmux detach -d",
            "tmux kill-session -t new -d",
            "tmux -L new kill-server -d",
            "tmux -d new",
            "tmux attach -d -t srv",
            "tmux has-session -t srv ; attach -d",
        ],
    );
}

#[test]
fn screen() {
    check(
        OUT_OF_REACH,
        &[
            "screen -dm srv",
            "screen -md srv",
            "screen -d -m srv",
            "screen -dmS name srv",
            "screen -Sdm name srv",
            "screen -dm -S x srv",
            "screen -S x -dm srv",
            "screen -S … -dm …",
            "screen -LdmS name srv",
            "screen -L -Logfile log -dm srv",
            "screen -AmdS name srv",
            "screen -c /dev/null -h 1000 -t title -s sh -T xterm -p 0 -e xx -d -m",
            "screen -U -q * -dm",
            "screen -Ddm srv",
            "/usr/bin/screen -d -m srv -r",
        ],
    );
    check(
        CLEAN,
        &[
            "screen",
            "screen srv",
            "screen -S srv",
            "screen -D -m srv",
            "screen -Dm srv",
            "screen -d srv",
            "screen -m srv",
            "screen -m srv -d",
            "screen -m -- -d",
            "screen -m … -d",
            "screen -S -dm srv",
            "screen -m -S -d srv",
            "screen -m -cd",
            "screen -dr srv",
            "screen -d -m -r srv",
            "screen -dmR",
            "screen -ls",
            "screen -wipe -dm",
            "screen -S srv -X quit -dm",
            "screen -S srv -p 0 -X stuff dm",
        ],
    );
}

#[test]
fn container_engines() {
    check(
        OUT_OF_REACH,
        &[
            "docker run -d image",
            "docker run --detach image",
            "docker run --detach=true image",
            "docker run --detach=… image",
            "docker run -d=1 image",
            "docker run -id=t image",
            "docker run -itd image",
            "docker run -dit image",
            "docker run --rm -d image",
            "docker run -d --rm image srv",
            "docker run --name srv -d image",
            "docker run --name=… -d …",
            "docker run --name … -p …:80 -v …:/data -d …",
            "docker run -p80:80 -d image",
            "docker run -dp 80:80 image",
            "docker run -p 80:80 -e A=b -d image",
            "docker run -e * -d image",
            "docker run * -d image",
            "docker run --rm --init --read-only --privileged -P -q -i -t -d image",
            "docker run --sig-proxy=false -d image",
            "docker run --detach=false -d image",
            "docker run -d",
            "docker run -d *",
            "docker container run -d image",
            "docker --context remote run -d image",
            "docker -H tcp://host --tls -D -l info run -d image",
            "docker -Htcp://host run -d image",
            "docker * run -d image",
            "/usr/local/bin/docker run -d image",
            "docker.exe run -d image",
            "C:/Docker/Docker.EXE run -d image",
            "podman run -d image",
            "podman --remote run -d image",
            "podman -r --log-level debug run -dt image",
            "podman container run --replace --tls-verify --rmi -d image",
        ],
    );
    check(
        CLEAN,
        &[
            "docker",
            "docker ps",
            "docker run image",
            "docker run --rm -it image",
            "docker run --detach=false image",
            "docker run -d --detach=false image",
            "docker run -d=false image",
            "docker run --detach-keys ctrl-d image",
            "docker run image -d",
            "docker run image srv --detach",
            "docker run … -d",
            "docker run --rm … -d",
            "docker run --name srv image -d",
            "docker run -- image -d",
            "docker run - -d",
            "docker run --name -d image",
            "docker run --name d image",
            "docker run -e -d image",
            "docker run -ed image",
            "docker run -vd:/d image",
            "docker run -itw -d image",
            "docker run * image -d",
            "docker build -d .",
            "docker exec -d srv ls",
            "docker start srv -d",
            "docker create -d image",
            "docker compose up -d",
            "docker compose run -d srv",
            "docker --context run ps -d",
            "docker -H run ps -d",
            "docker container ls -d",
            "docker container -d run",
            "docker … -d image",
            "docker run-d image",
            "podman play kube -d",
            "podman pod create -d",
        ],
    );
}

#[test]
fn windows() {
    check(
        GROUP,
        &[
            "cmd /c start srv",
            "cmd /C START srv",
            "cmd /k start",
            "CMD /d /s /c start /B srv",
            "cmd.exe /c start …",
            "Cmd.Exe /c start *",
            "C:/Windows/System32/cmd.exe /c start srv",
        ],
    );
    check(
        CLEAN,
        &[
            "cmd",
            "cmd /c",
            "cmd /c dir",
            "cmd /c … start",
            "cmd /c * start",
            "cmd /c dir start",
            "cmd start",
            "cmd /d start",
            "cmd srv /c start",
            "cmd /c restart",
            "cmd /c start.bat",
            "cmd /c start-srv",
            "command /c start srv",
        ],
    );
    let path = r"C:\Windows\System32\cmd.exe";
    assert_eq!(argv(&words([path, "/c", "start /B srv"].into_iter())).map(|found| found.strength), GROUP);
    assert_eq!(argv(&words([path, "/c", "srv & start"].into_iter())), None);
    check_text(
        GROUP,
        &[
            "start srv",
            "start /B srv",
            "start/b srv",
            "START \"\" srv",
            "start \"title\" srv",
            "start\"\" srv",
            "  start srv",
            "start",
            "start …",
            r"C:\Windows\System32\cmd.exe /c start srv",
            "\"C:\\Windows\\cmd.exe\" /c start srv",
            "cmd /c start x",
            "cmd /c \"start x\"",
            "cd x && cmd /c start x",
        ],
    );
    check_text(
        CLEAN,
        &[
            "service srv start",
            "echo start srv",
            "srv; start x",
            "srv && start x",
            "starter",
            "start-srv",
            "start.sh",
            "./start srv",
            "start_srv",
            "… start",
            r"C:\Windows\System32\cmd.exe /c dir",
        ],
    );
}

#[test]
fn words_that_a_shell_runs() {
    check_shell(
        Some((Strength::Group, 2)),
        &[
            &["sh", "-c", "srv &"],
            &["bash", "-c", "nohup srv"],
            &["/bin/dash", "-c", "srv & wait"],
            &["zsh", "-c", "nohup … > log 2>&1 &"],
            &["ksh", "-c", "(srv &)", "sh", "setsid"],
            &["ash", "-ec", "srv&"],
            &["fish", "--command", "srv &"],
            &["bash", "-lc", "…&"],
            &["sh", "-c", "sh -c 'srv &'"],
            &["C:/Git/bash.exe", "-c", "srv &"],
        ],
    );
    check_shell(
        Some((Strength::Session, 3)),
        &[
            &["bash", "-l", "-c", "setsid srv"],
            &["bash", "-c", "-e", "setsid srv"],
            &["bash", "--login", "-c", "setsid srv &"],
            &["busybox", "sh", "-c", "setsid srv"],
        ],
    );
    check_shell(
        Some((Strength::OutOfReach, 4)),
        &[
            &["bash", "-o", "pipefail", "-c", "docker run -d image &"],
            &["bash", "-euo", "pipefail", "-c", "setsid srv && docker run -d image"],
            &["bash", "--rcfile", "-c", "-c", "tmux new -d"],
            &["bash", "-c", "-O", "extglob", "systemd-run srv"],
            &["busybox", "sh", "-l", "-c", "sh -c \"sh -c 'at now'\" &"],
        ],
    );
    check_shell(
        None,
        &[
            &["sh", "-c", "srv"],
            &["sh", "-c", "echo '&'"],
            &["sh", "-c", "srv", "nohup", "&"],
            &["sh", "-c", "…"],
            &["sh", "-c", "*"],
            &["sh", "-c"],
            &["sh"],
            &["sh", "srv &"],
            &["sh", "-x", "srv &"],
            &["sh", "script", "-c", "srv &"],
            &["sh", "--", "-c", "srv &"],
            &["sh", "-o", "-c", "srv &"],
            &["ssh", "-c", "srv &"],
            &["python", "-c", "a & b"],
            &["echo", "srv &"],
            &["su", "-c", "srv &"],
        ],
    );
}

#[test]
fn background() {
    check_text(
        GROUP,
        &[
            "srv &",
            "srv&",
            "&",
            "a & b",
            "a&b",
            "a& b",
            "a && b &",
            "a & && b",
            "a | b &",
            "a |& b &",
            "a; b & c",
            "(a &)",
            "(a) &",
            "( (a) & )",
            "((a) & b)",
            "{ a & }",
            "{ a; } &",
            "a\nb &\nc",
            "a > log &",
            "a > log 2>&1 &",
            "a >log 2>&1&",
            "a &> log &",
            "a &>> log &",
            "a >&2 &",
            "a <&- >&- &",
            "a >| log &",
            "a <> dev &",
            "a <<< text &",
            "a &\n",
            "a \\\n &",
            "a '&' &",
            "a \"&\" & b",
            "a \\& & b",
            "a \\\\& b",
            "a # comment\nb &",
            "a#b & c",
            "a '#' &",
            "echo $(a &)",
            "echo \"$(a &)\"",
            "echo \"$(echo \"$(a &)\")\"",
            "echo `a &`",
            "echo \"`a &`\"",
            "echo `echo \\`a &\\``",
            "echo ${x:-$(a &)}",
            "echo \"${x:-`a &`}\"",
            "echo $((1 & 2)) &",
            "echo $(( (1) & 2 )); a &",
            "(( x & 1 )) && a &",
            "echo ${x//&/y} &",
            "echo ${x:-'}'} &",
            "echo \"${x:-it's}\" &",
            "echo `echo \\\"a & b\\\"`",
            "echo ${x:-\"}\"} &",
            "echo $x&",
            "echo $# &",
            "echo ${#x} &",
            "cat <(a &)",
            "cat x<(a &)",
            "tee >(a &) < x",
            "f() { a & }; f",
            "if a; then b & fi",
            "while a; do b; done &",
            "for x in a b; do $x & done; wait",
            "case $x in a) b & ;; esac",
            "case $x in a) b;; (c|d) e & esac",
            "case $x in a) b;; esac &",
            "x=$(case $y in a) b;; esac) &",
            "x=(a b) && c &",
            "cat <<EOF\n'\nEOF\na &",
            "cat <<EOF &\ntext\nEOF",
            "cat <<'E F' <<-\"G\"\na\nE F\n\tb\n\tG\na &",
            "cat <<EOF\ntext\nEOF \nEOF\na &",
            "echo $((1<<2))\na &",
            "x=1 y=\"2 3\" a &",
            "… &",
            "…& …",
            "a …& b",
            "a $…& b",
            "trap 'kill $!' EXIT; a & wait $!",
            "a $'\\'' & b",
            "a $\"b\" & c",
            "a ;; b &",
            "a ) b &",
            "exec a &",
            "! a &",
        ],
    );
    check_text(
        CLEAN,
        &[
            "",
            " \n\t",
            "srv",
            "a && b",
            "a || b",
            "a | b",
            "a |& b",
            "a; b",
            "a && b || c; d | e\nf",
            "a 2>&1",
            "a >&2",
            "a 2>&1 | b",
            "a &> log",
            "a &>log",
            "a &>> log",
            "a <&3",
            "a >&-",
            "a <&-",
            "a >& log",
            "a 3>&1 1>&2 2>&3",
            "grep '&' f",
            "grep \\& f",
            "grep \"&\" f",
            "grep a\\&b f",
            "printf %s\\\\\\& x",
            "curl \"http://x/?a=1&b=2\"",
            "curl 'http://x/?a=1&b=2'",
            "curl http://x/?a=1\\&b=2",
            "curl \"…&b=…\"",
            "echo \"run nohup x &\"",
            "echo 'run nohup x &'",
            "echo 'a'\"'\"'& b'",
            "echo \"\\\" &\"",
            "echo $'\\' &'",
            "echo $\"a & b\"",
            "echo \"${x:-a & b}\"",
            "echo ${x:-a & b}",
            "echo \"${x:-it's & \"'& \"}\"",
            "echo ${x:-'}' &}",
            "echo ${x:-\\} & }",
            "echo ${x//&/y}",
            "echo \"$(echo '&')\"",
            "echo `echo '&'`",
            "echo \"`echo \\\"a & b\\\"`\"",
            "echo $((1 & 2))",
            "echo $(((1 & 2) + 1))",
            "echo \"$((1 & 2))\"",
            "(( x & 1 ))",
            "(((x) & 1))",
            "for ((i = 1; i & 3; i++)); do a; done",
            "# a &",
            "a # b &",
            "a\n# b &\n",
            "a; # b &",
            "(# a &\nb)",
            "cat <<EOF\na &\nEOF",
            "cat <<EOF\na &",
            "cat <<'EOF' | b\na &\nEOF\n",
            "cat <<-EOF\n\ta &\n\tEOF\n",
            "cat <<E\\OF\na & '\nEOF\nb",
            "cat <<EOF >x <<FOE\na &\nEOF\nb &\nFOE\nc",
            "case $x in a) b ;& c) d ;;& e) f;; esac",
            "x=(a '&' b)",
            "…",
            "… && … || …",
            "a '…&' b",
            "sh -c 'srv'",
            "ssh host 'srv &'",
            "ssh host \"nohup srv > log 2>&1 &\"",
            "bash script.sh '&'",
        ],
    );
}

#[test]
fn programs_in_texts() {
    check_text(
        GROUP,
        &[
            "nohup srv",
            "'nohup' srv",
            "\"nohup\" srv",
            "no\"hup\" srv",
            "n\\ohup srv",
            "no\\\nhup srv",
            "$'nohup' srv",
            "$\"nohup\" srv",
            "nohup>log srv",
            "cat <<<a\nnohup srv",
            "((nohup srv); a)",
            "'case' x; nohup srv",
            "case x in case) a;; esac; nohup srv",
            "/usr/bin/nohup srv",
            "$BIN/nohup srv",
            "\"$BIN\"/nohup srv",
            "`which x`/nohup srv",
            "…/nohup …",
            "nohup …",
            "nohup srv > log 2>&1 < /dev/null",
            "> log nohup srv",
            "2>&1 > log nohup srv",
            "A=b nohup srv",
            "A='b c' B= nohup srv",
            "A+=b nohup srv",
            "A[1]=b nohup srv",
            "A=$(x) nohup srv",
            "A=… …=b nohup srv",
            "a; nohup srv",
            "a && nohup srv",
            "a || nohup srv",
            "a | nohup srv",
            "a\nnohup srv",
            "(nohup srv)",
            "{ nohup srv; }",
            "if a; then nohup srv; fi",
            "if nohup srv; then a; elif b; then c; else d; fi",
            "while a; do nohup srv; done",
            "until nohup srv; do a; done",
            "if a; then b; else nohup srv; fi",
            "! nohup srv",
            "time nohup srv",
            "exec nohup srv",
            "echo $(nohup srv)",
            "echo \"$(nohup srv)\"",
            "echo `nohup srv`",
            "x=\"`nohup srv`\"",
            "echo ${x:-$(nohup srv)}",
            "cat <(nohup srv)",
            "case x in nohup) a;; b) nohup srv;; esac",
            "case x in a) b;; esac; nohup srv",
            "f() { nohup srv; }",
            "cat <<EOF; nohup srv\ntext\nEOF",
            "cat <<EOF\ntext\nEOF\nnohup srv",
            "sh -c 'nohup srv'",
            "sh -c \"sh -c 'nohup srv'\"",
            "A=b bash -lc \"nohup …\"",
            "a; sh -ec 'echo; srv &'",
            "nohup",
        ],
    );
    check_text(
        SESSION,
        &[
            "setsid srv &",
            "nohup srv & setsid srv",
            "setsid -f srv >/dev/null 2>&1 < /dev/null",
            "cd x && setsid nohup srv &",
            "bash -c 'setsid srv'",
        ],
    );
    check_text(
        OUT_OF_REACH,
        &[
            "docker run -d image",
            "docker run -d … &",
            "docker run … -d image",
            "docker run $options -d image",
            "docker run --name \"$name\" -d \"$image\"",
            "docker run \\\n  --name x \\\n  -d image",
            "docker run >log -d image",
            "docker run --name '1'>log -d image",
            "tmux new -d -s x 'srv; sh'",
            "tmux has -t x 2>/dev/null || tmux new -d -s x",
            "tmux start \\; new -d",
            "screen -dmS x bash -c 'srv'",
            "screen -S \"x y\" -dm srv",
            "echo srv | at now",
            "echo srv | batch",
            "at now <<EOF\nsrv\nEOF",
            "systemd-run --user srv",
            "bash -c \"docker run -d image\" &",
            "nohup srv & docker run --detach image",
        ],
    );
    check_text(
        CLEAN,
        &[
            "which nohup",
            "man nohup",
            "echo nohup",
            "echo; echo nohup srv",
            "command -v nohup",
            "nohup=1",
            "nohup=1 srv",
            "\"A=b\" nohup srv",
            "A\"=b\" nohup srv",
            "-A=b nohup srv",
            "nohup<(a) srv",
            "<(a)nohup srv",
            "x=nohup; echo $x",
            "x=(nohup srv)",
            "echo >nohup srv",
            "> nohup",
            ">| nohup",
            "case x in a) 'esac' b;; nohup) c;; esac",
            "echo $(esac; a) nohup",
            "< setsid cat",
            "cat <<< nohup",
            "cat << nohup\nnohup\n",
            "cat <<nohup\nat now\nnohup\nsrv",
            "# nohup srv",
            "srv # ; nohup srv",
            "for nohup in a; do b; done",
            "for x in nohup setsid; do which $x; done",
            "case nohup in a) b;; esac",
            "case x in nohup) a;; setsid|at) b;; esac",
            "case x in (nohup) a;; (at | batch) b;; esac",
            "case x in\nnohup)\na\n;;\nat)\nesac",
            "nohup… srv",
            "$nohup srv",
            "$x nohup srv",
            "${x} nohup srv",
            "\"$x\" nohup srv",
            "… nohup srv",
            "'nohup srv'",
            "nohup\\ srv",
            "docker run $image ls -d",
            "docker run \"$image\" -d",
            "docker run image sh -c 'a -d'",
            "tmux new -s x 'srv -d'",
            "tmux a; new -d",
            "screen -D -m srv",
            "sh -c 'which nohup'",
            "sh -c \"$x\"",
            "sh -c $x",
            "sh -c",
            "ssh host nohup srv",
        ],
    );
}

#[test]
fn every_program_is_known_to_detach() {
    for program in PROGRAMS {
        let arguments = ["", "new -d", "-dm", "run -d", "/c start"];
        assert!(arguments.iter().any(|arguments| shell(&format!("{program} {arguments}")).is_some()), "{program}");
    }
}

/// Whatever is put together, it is read, and what detaches has one of the words.
#[test]
fn random_texts() {
    const MARKS: &str = "; & | ( ) { } < > << $ $( ${ (( )) ` ' \" \\ # = - / * a é \u{fffc} \u{1f600} \0";
    const NAMES: &str =
        "case in esac if then fi do nohup setsid docker run -d tmux new screen -dm at sh -c cmd /c start";
    let parts: Vec<&str> = [" ", " ", "\n", "\t"].into_iter().chain(MARKS.split(' ')).chain(NAMES.split(' ')).collect();
    let mut state: u64 = 1;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for _ in 0..20_000 {
        let parts: Vec<&str> = (0..random(24)).map(|_| parts[random(parts.len())]).collect();
        let (text, words) = (parts.concat(), words(parts.iter().copied()));
        let unquoted = text.replace(['\'', '"', '\\', '\n'], "");
        for (what, found) in [("text", shell(&text)), ("words", argv(&words).map(|found| found.strength))] {
            let is_there = unquoted.contains('&') || PROGRAMS.iter().any(|program| unquoted.contains(program));
            assert!(found.is_none() || is_there, "as {what}: {text:?}");
        }
        if let Some(found) = argv(&words) {
            assert!(found.word < words.len(), "{words:?}");
        }
    }
}

/// Neither depth nor length needs a stack, or time that grows faster than they do.
#[test]
fn extremes() {
    const MANY: usize = 200_000;
    for open in [
        "$(",
        "\"$(",
        "${",
        "\"${",
        "((",
        "$((",
        "(",
        "`",
        "\\`",
        "'",
        "\"",
        "{ ",
        "case x in ",
        "x=(",
        "<(",
        "<<a ",
        "if ",
        "sh -c '",
        "a=b ",
        "nohup",
        "-",
        "\\",
        "a\n",
        "…",
        "<<a\n",
    ] {
        shell(&open.repeat(MANY));
    }
    let depth = 20;
    let nested = (0..depth).fold("srv &".to_owned(), |text, _| format!("$(a \"{text}\")"));
    assert_eq!(shell(&format!("{}srv &", "$(".repeat(MANY))), GROUP);
    assert_eq!(shell(&nested), CLEAN, "the innermost is a word");
    assert_eq!(shell(&format!("{}srv &", "a 'b' \"$(c)\" | d;\n".repeat(MANY / 10))), GROUP);
    for (values, expected) in [(MANY, OUT_OF_REACH), (MANY + 1, CLEAN)] {
        let arguments = std::iter::repeat_n("-e", values).chain(["-d", "image"]);
        let detached = argv(&words(["docker", "run"].into_iter().chain(arguments)));
        assert_eq!(detached.map(|detached| detached.strength), expected, "half of {values} are values");
    }
}
