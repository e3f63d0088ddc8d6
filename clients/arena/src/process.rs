//! A bot as a process: how it is started, what it complains of, how it ends.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::schedule::Entrant;

/// How a bot is started.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// Which bot.
    pub(crate) bot: Entrant,
    /// The name that it says hello with.
    pub(crate) name: String,
    /// Its command line, for the shell.
    pub(crate) command: String,
    /// How many streams it is to open.
    pub(crate) seats: usize,
    /// Where the arena's server listens.
    pub(crate) server: SocketAddr,
}

/// A process that was started.
#[derive(Debug)]
pub(crate) struct Process {
    complaints: Complaints,
    stop: oneshot::Sender<()>,
    watching: JoinHandle<()>,
}

/// A process has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Which bot.
    pub(crate) bot: Entrant,
    /// How, such as `exit status: 1`.
    pub(crate) how: String,
    /// What it said last on its error output.
    pub(crate) complaints: Vec<String>,
}

/// How long the rest of the error output is read once a process has ended: a child of it may still hold the pipe.
const LAST_WORDS: Duration = Duration::from_millis(500);

impl Launch {
    /// Starts the process. Its end is told once, unless it is stopped.
    ///
    /// # Errors
    /// There is no shell, or the system has no room for a process.
    pub(crate) fn start(&self, ended: mpsc::Sender<Ended>) -> std::io::Result<Process> {
        let mut child = self.command().spawn()?;
        let complaints = Complaints::default();
        let (stop, stopped) = oneshot::channel();
        let errors = child.stderr.take();
        let watching =
            tokio::spawn(watch(self.bot, child, errors, complaints.clone(), stopped, ended));
        Ok(Process { complaints, stop, watching })
    }

    fn command(&self) -> Command {
        let (server, seats) = (format!("http://{}", self.server), self.seats.to_string());
        let line = self
            .command
            .replace("{server}", &server)
            .replace("{name}", &self.name)
            .replace("{seats}", &seats);
        let mut command = Command::new("sh");
        command
            .args(["-c", &line])
            .env("MIGHTY_SERVER", server)
            .env("MIGHTY_NAME", &self.name)
            .env("MIGHTY_SEATS", seats)
            .env("MIGHTY_LADDER", "true")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            // Ctrl-C at the terminal is for the arena, which then sends its bots home.
            .process_group(0)
            .kill_on_drop(true);
        command
    }
}

impl Process {
    /// What it said last on its error output.
    pub(crate) fn complaints(&self) -> Vec<String> {
        self.complaints.lines()
    }

    /// Kills it, with all that it has started, where it has not ended.
    pub(crate) async fn stop(self) {
        drop(self.stop);
        // A system that is too busy to kill a process is not waited for.
        let _ = timeout(LAST_WORDS, self.watching).await;
    }
}

async fn watch(
    bot: Entrant,
    mut child: Child,
    errors: Option<impl AsyncRead + Unpin>,
    complaints: Complaints,
    stopped: oneshot::Receiver<()>,
    ended: mpsc::Sender<Ended>,
) {
    let listening = complaints.listen(errors);
    tokio::pin!(listening);
    // Without an id it has been waited for already, which nobody else does.
    let group = child.id();
    let waiting = async {
        tokio::select! {
            how = child.wait() => Some(how),
            _ = stopped => None,
        }
    };
    tokio::pin!(waiting);
    let mut is_silent = false;
    let how = loop {
        tokio::select! {
            how = &mut waiting => break how,
            () = &mut listening, if !is_silent => is_silent = true,
        }
    };
    if let Some(group) = group {
        kill(group).await;
    }
    let Some(how) = how else { return };
    if !is_silent {
        let _ = timeout(LAST_WORDS, listening).await;
    }
    let how = how.map_or_else(|error| error.to_string(), |status| status.to_string());
    let _ = ended.send(Ended { bot, how, complaints: complaints.lines() }).await;
}

/// Kills what is left of a group of processes: the shell may have started others, which would go on without it.
async fn kill(group: u32) {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("kill -s KILL -- -{group}")]);
    // That nobody is left is well.
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().await;
}

/// The last bytes of an error output.
#[derive(Clone, Debug, Default)]
struct Complaints(Arc<Mutex<VecDeque<u8>>>);

/// How much of it is kept, and how many of its last lines are shown.
const BYTES_KEPT: usize = 8 * 1024;
const LINES_SHOWN: usize = 12;

impl Complaints {
    async fn listen(&self, errors: Option<impl AsyncRead + Unpin>) {
        let Some(mut errors) = errors else { return };
        let mut buffer = [0; 1024];
        while let Ok(read @ 1..) = errors.read(&mut buffer).await {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(&buffer[..read]);
            let too_many = kept.len().saturating_sub(BYTES_KEPT);
            kept.drain(..too_many);
        }
    }

    fn lines(&self) -> Vec<String> {
        let kept: Vec<u8> =
            self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let text = String::from_utf8_lossy(&kept);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let from = lines.len().saturating_sub(LINES_SHOWN);
        lines[from..].iter().map(|line| (*line).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn launch(command: &str) -> Launch {
        Launch {
            bot: 3,
            name: "new".to_owned(),
            command: command.to_owned(),
            seats: 2,
            server: SocketAddr::from(([127, 0, 0, 1], 7435)),
        }
    }

    async fn run(command: &str) -> Ended {
        let (sender, mut ended) = mpsc::channel(1);
        let _process = launch(command).start(sender).expect("there is a shell");
        let ended = timeout(Duration::from_secs(20), ended.recv()).await;
        ended.expect("it ends soon").expect("its end is told")
    }

    #[tokio::test]
    async fn a_bot_is_told_where_to_play_and_as_whom() {
        let said = "echo {server} {name} {seats} >&2; \
                    echo $MIGHTY_SERVER $MIGHTY_NAME $MIGHTY_SEATS $MIGHTY_LADDER >&2";
        let Ended { bot, how, complaints } = run(said).await;
        assert_eq!((bot, &*how), (3, "exit status: 0"));
        assert_eq!(complaints, ["http://127.0.0.1:7435 new 2", "http://127.0.0.1:7435 new 2 true"]);
    }

    #[tokio::test]
    async fn what_a_bot_has_started_ends_with_it() {
        let pipe = std::env::temp_dir().join(format!("mighty-process-{}", std::process::id()));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("there is mkfifo").success());
        let (begun, has_begun) = oneshot::channel();
        let (closed, is_closed) = oneshot::channel();
        let reader = pipe.clone();
        // Reading ends when nobody is left who could write.
        std::thread::spawn(move || {
            let mut pipe = std::fs::File::open(reader).expect("it can be read");
            pipe.read_exact(&mut [0]).expect("the child writes");
            let _ = begun.send(());
            let _ = pipe.read_to_end(&mut Vec::new());
            let _ = closed.send(());
        });
        // The shell waits for a child that holds the pipe.
        let command = format!("(echo; while true; do sleep 1; done) > {}; true", pipe.display());
        let (sender, _ended) = mpsc::channel(1);
        let process = launch(&command).start(sender).expect("there is a shell");
        let soon = Duration::from_secs(20);
        timeout(soon, has_begun).await.expect("it begins soon").expect("it writes");
        process.stop().await;
        timeout(soon, is_closed).await.expect("nobody holds the pipe").expect("it was read");
        let _ = std::fs::remove_file(&pipe);
    }

    #[tokio::test]
    async fn its_last_lines_tell_why_it_ended() {
        let many = run("i=0; while [ $i -lt 2000 ]; do echo line $i >&2; i=$((i+1)); done; exit 7");
        let Ended { how, complaints, .. } = many.await;
        assert_eq!(how, "exit status: 7");
        assert_eq!((complaints.len(), &*complaints[11]), (12, "line 1999"));
        let missing = run("./no-such-bot").await;
        assert_eq!(missing.how, "exit status: 127");
        assert!(missing.complaints.join("\n").contains("no-such-bot"), "{missing:?}");
    }
}
