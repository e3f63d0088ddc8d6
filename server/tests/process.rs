//! Stories about the program itself: how it is started, refused and stopped.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_mighty-server");

struct Running {
    child: Child,
    port: u16,
}

fn start(flags: &[&str]) -> Running {
    let mut child = Command::new(PROGRAM)
        .args(["--listen", "127.0.0.1:0", "--log", "warn"])
        .args(flags)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let port = line.trim().rsplit(':').next().unwrap().parse().unwrap();
    Running { child, port }
}

impl Running {
    fn signal(&self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A story that failed leaves no server behind; one that has ended already needs nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn wrong_use_is_refused_before_a_port_is_open() {
    for (flags, said) in [
        (vec!["--listen", "0.0.0.0:7435"], "loopback"),
        (vec!["--refusals", "none"], "--refusals"),
        (vec!["--log", "loud=="], "--log"),
    ] {
        let output = Command::new(PROGRAM).args(&flags).output().unwrap();
        assert_eq!(output.status.code(), Some(64), "{flags:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn help_tells_every_setting() {
    let output = Command::new(PROGRAM).arg("--help").output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    for setting in
        ["--listen", "--ladder-matches", "MIGHTY_ABSENCE", "--json-logs", "[default: 60s]"]
    {
        assert!(text.contains(setting), "{setting}");
    }
}

#[test]
fn it_tells_its_port_and_stops_when_it_is_asked_to() {
    let name = format!("mighty-port-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let mut server = start(&["--port-file", path.to_str().unwrap(), "--farewell", "100ms"]);
    let written = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(written.trim(), server.port.to_string());
    assert_ne!(server.port, 0);
    // A socket that says nothing does not hold it up.
    let _silent = std::net::TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    server.signal();
    assert!(server.child.wait().unwrap().success());
}
