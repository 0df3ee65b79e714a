//! Which commands detach a child, and how far it gets.

use xtask::lint_spawns::command::{Detached, PROGRAMS, UNKNOWN, Word, argv};
use xtask::lint_spawns::rule::Strength;

const GROUP: Option<Strength> = Some(Strength::Group);
const SESSION: Option<Strength> = Some(Strength::Session);
const OUT_OF_REACH: Option<Strength> = Some(Strength::OutOfReach);
const CLEAN: Option<Strength> = None;

/// Commands of which the program decides. `…` is a part that is not known, `*` any number of words.
#[track_caller]
fn check(expected: Option<Strength>, commands: &[&str]) {
    for command in commands {
        let detached = argv(&words(command.split(' ')));
        let expected = expected.map(|strength| Detached { strength, word: 0 });
        assert_eq!(detached, expected, "{command}");
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
    assert_eq!(detached, Some(Detached { strength: Strength::Session, word: 1 }));
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
}

#[test]
fn every_program_is_known_to_detach() {
    for program in PROGRAMS {
        let arguments = ["", "new -d", "-dm", "run -d", "/c start"];
        assert!(
            arguments.iter().any(|arguments| argv(&words(format!("{program} {arguments}").split(' '))).is_some()),
            "{program}"
        );
    }
}
