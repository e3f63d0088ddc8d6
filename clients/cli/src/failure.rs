//! Why a command did not do what was asked, and the exit code that says so.

use std::io;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The server refused, or has nothing of the kind: exit code 1.
    Refused(String),
    /// What was asked for, or what was received, makes no sense: exit code 2.
    Unusable(String),
    /// No server answers: exit code 3.
    Unreachable(String),
    /// Whoever read our output has had enough: nothing to complain about.
    OutputClosed,
}

impl Failure {
    /// The exit code of the program.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::OutputClosed => 0,
            Failure::Refused(_) => 1,
            Failure::Unusable(_) => 2,
            Failure::Unreachable(_) => 3,
        }
    }

    /// A sentence that says what to do next; `None` when there is nothing to say.
    pub(crate) fn sentence(&self) -> Option<&str> {
        match self {
            Failure::Refused(sentence)
            | Failure::Unusable(sentence)
            | Failure::Unreachable(sentence) => Some(sentence),
            Failure::OutputClosed => None,
        }
    }
}

/// Output is all that a command writes, so a failed write means that the output is closed or full.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::OutputClosed;
        }
        Failure::Unusable(format!("the output cannot be written: {error}"))
    }
}
