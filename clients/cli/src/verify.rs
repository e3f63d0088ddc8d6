//! `mighty verify`: replays records line by line and compares what they say of themselves.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use mighty_rules::{Unreadable, VerifiedLine, verify_line};

use crate::text::{counted, printable_sentence};

/// The longest line that is read: room for a match of the most hands that the rules allow.
const LINE_BYTES_MAX: usize = 64 << 20;
/// A file that begins with so many unreadable lines holds no records.
const UNREADABLE_FIRST_MAX: u64 = 20;

/// What came out, over all lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Findings {
    hands: u64,
    matches: u64,
    commitments: u64,
    differences: u64,
    unreadable: u64,
}

impl Findings {
    /// 2 when something could not be read, else 1 when something differs, else 0.
    pub(crate) fn exit_code(&self) -> u8 {
        match (self.unreadable, self.differences) {
            (0, 0) => 0,
            (0, _) => 1,
            (_, _) => 2,
        }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Findings { hands, matches, commitments, differences, unreadable } = *self;
        let checked = [
            counted(hands, "hand", "hands"),
            counted(matches, "match", "matches"),
            counted(commitments, "commitment", "commitments"),
        ];
        write!(f, "{} checked: ", checked.join(", "))?;
        match differences {
            0 => f.write_str("no difference")?,
            _ => f.write_str(&counted(differences, "difference", "differences"))?,
        }
        match unreadable {
            0 => Ok(()),
            _ => write!(f, ", {} that cannot be read", counted(unreadable, "place", "places")),
        }
    }
}

/// Verifies every line of these files (`-` is the standard input). Hands go to `out`, one JSON object a line, unless
/// `quiet`; what is wrong goes to `complaints`, with file and line.
///
/// # Errors
/// `out` cannot be written, as when its reader has had enough.
pub(crate) fn verify(
    files: &[PathBuf],
    quiet: bool,
    out: &mut impl Write,
    complaints: &mut impl Write,
) -> io::Result<Findings> {
    let mut verifier = Verifier { quiet, out, complaints, findings: Findings::default() };
    for file in files {
        if file == Path::new("-") {
            verifier.verify_lines("stdin", io::stdin().lock())?;
        } else {
            let name = file.display().to_string();
            match File::open(file) {
                Ok(input) => verifier.verify_lines(&name, input)?,
                Err(error) => verifier.cannot_read(&name, &error),
            }
        }
    }
    verifier.out.flush()?;
    Ok(verifier.findings)
}

struct Verifier<'a, Out, Complaints> {
    quiet: bool,
    out: &'a mut Out,
    complaints: &'a mut Complaints,
    findings: Findings,
}

impl<Out: Write, Complaints: Write> Verifier<'_, Out, Complaints> {
    fn verify_lines(&mut self, file: &str, input: impl Read) -> io::Result<()> {
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        let unreadable_before = self.findings.unreadable;
        let mut is_of_records = false;
        for number in 1_u64.. {
            // Whoever waits for our answer before it writes the next line gets it.
            if input.buffer().is_empty() {
                self.out.flush()?;
            }
            let place = format!("{file}:{number}");
            match read_line(&mut input, &mut line) {
                Err(error) => {
                    self.cannot_read(&place, &error);
                    break;
                }
                Ok(None) => break,
                Ok(Some(_)) if line.trim_ascii().is_empty() => {}
                Ok(Some(Length::TooLong)) => {
                    let limit = LINE_BYTES_MAX >> 20;
                    self.cannot_read(&place, &format!("the line is longer than {limit} MiB"));
                }
                Ok(Some(Length::Whole)) => match verified(&line) {
                    Ok(verified) => {
                        is_of_records = true;
                        self.report(&place, &verified)?;
                    }
                    Err(unreadable) => self.cannot_read(&place, &unreadable),
                },
            }
            let unreadable = self.findings.unreadable - unreadable_before;
            if !is_of_records && unreadable == UNREADABLE_FIRST_MAX {
                self.complain(&format!("{file}: this is no file of records"));
                break;
            }
        }
        Ok(())
    }

    fn report(&mut self, place: &str, line: &VerifiedLine) -> io::Result<()> {
        self.findings.hands += line.hands.len() as u64;
        self.findings.matches += u64::from(line.is_match);
        self.findings.commitments += u64::from(line.commitment_checked);
        self.findings.differences += line.differences.len() as u64;
        for difference in &line.differences {
            self.complain(&format!("{place}: {difference}"));
        }
        if !self.quiet {
            for hand in &line.hands {
                writeln!(self.out, "{hand}")?;
            }
        }
        Ok(())
    }

    fn cannot_read(&mut self, place: &str, why: &dyn fmt::Display) {
        self.findings.unreadable += 1;
        self.complain(&format!("{place}: cannot be read: {why}"));
    }

    fn complain(&mut self, sentence: &str) {
        // The exit code still tells when nobody listens to the complaints.
        let _ = writeln!(self.complaints, "{}", printable_sentence(sentence));
    }
}

enum Length {
    Whole,
    TooLong,
}

/// Reads the next line, without holding more of it than is allowed; `None` at the end.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<Length>> {
    line.clear();
    let most = LINE_BYTES_MAX as u64 + 1;
    if input.by_ref().take(most).read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.len() <= LINE_BYTES_MAX || line.ends_with(b"\n") {
        return Ok(Some(Length::Whole));
    }
    input.skip_until(b'\n')?;
    Ok(Some(Length::TooLong))
}

fn verified(line: &[u8]) -> Result<VerifiedLine, Unreadable> {
    let text = std::str::from_utf8(line).map_err(|error| {
        Unreadable(format!("it is not UTF-8 from byte {} on", error.valid_up_to() + 1))
    })?;
    verify_line(text)
}
