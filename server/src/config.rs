//! Every setting of the server: by flag, environment variable or file, read and checked once, before anything starts.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser};
use mighty_rules::{Profile, Rules};

use crate::accept::DoorLimits;
use crate::matches::TimeControl;

/// The authority of Mighty: tables, ladder and records for programs that play, over gRPC.
///
/// Every setting is a flag, an environment variable (MIGHTY_ and the flag's name in capitals), or a line of the file
/// that --config names (the flag's name, dashes as underscores). A flag goes before the environment, that before the
/// file, that before the default. Durations are written 500ms, 10s, 5m or 2h.
#[derive(Clone, Debug, Parser)]
#[command(name = "mighty-server", version, args_override_self = true)]
pub struct Config {
    /// The file with settings, in TOML.
    #[arg(long, env = "MIGHTY_CONFIG")]
    pub config: Option<PathBuf>,
    /// The address to listen on. Port 0 takes a free one, which is printed.
    #[arg(long, env = "MIGHTY_LISTEN", default_value = "127.0.0.1:7435")]
    pub listen: SocketAddr,
    /// A file to write the port to, once it is open.
    #[arg(long, env = "MIGHTY_PORT_FILE")]
    pub port_file: Option<PathBuf>,
    /// The SQLite file with matches, records and ratings. Without one they are gone with the server.
    #[arg(long, env = "MIGHTY_STORE")]
    pub store: Option<PathBuf>,
    /// What is logged: error, warn, info, debug or trace, or a filter such as mighty_server=debug,info.
    #[arg(long, env = "MIGHTY_LOG", default_value = "info")]
    pub log: String,
    /// Logs a line of JSON for each event.
    #[arg(long, env = "MIGHTY_JSON_LOGS", action = ArgAction::SetTrue)]
    pub json_logs: bool,

    /// The bank of a seat for a whole match, at a table that names no clock.
    #[arg(long, env = "MIGHTY_BANK", default_value = "60s", value_parser = duration)]
    pub bank: Duration,
    /// What each move adds to what may be thought about it, at a table that names no clock.
    #[arg(long, env = "MIGHTY_INCREMENT", default_value = "2s", value_parser = duration)]
    pub increment: Duration,
    /// The longest bank or increment that a new table may ask for.
    #[arg(long, env = "MIGHTY_LONGEST_TIME", default_value = "24h", value_parser = duration)]
    pub longest_time: Duration,
    /// How many hands a match at a new table may have.
    #[arg(long, env = "MIGHTY_LONGEST_MATCH", default_value_t = 1000)]
    pub longest_match: u16,
    /// How many answers to one turn may be refused before the default is played.
    #[arg(long, env = "MIGHTY_REFUSALS", default_value_t = 3)]
    pub refusals: u32,
    /// After how many defaults in a row a seat is given up.
    #[arg(long, env = "MIGHTY_DEFAULTS_IN_A_ROW", default_value_t = 3)]
    pub defaults_in_a_row: u32,
    /// After how long an absence a seat is given up.
    #[arg(long, env = "MIGHTY_ABSENCE", default_value = "60s", value_parser = duration)]
    pub absence: Duration,
    /// How long a turn may lie unread before its clock starts all the same.
    #[arg(long, env = "MIGHTY_HANDOVER", default_value = "5s", value_parser = duration)]
    pub handover: Duration,
    /// The house bot that plays on for a seat that was given up: random or cautious.
    #[arg(long, env = "MIGHTY_STAND_IN", default_value = "cautious")]
    pub stand_in: String,
    /// How many events of a match are kept for those who come back.
    #[arg(long, env = "MIGHTY_EVENTS_KEPT", default_value_t = 2000)]
    pub events_kept: usize,

    /// Runs no ladder.
    #[arg(long, env = "MIGHTY_NO_LADDER", action = ArgAction::SetTrue)]
    pub no_ladder: bool,
    /// The profile that the ladder plays: classic, hunter, ripper or korean.
    #[arg(long, env = "MIGHTY_LADDER_PROFILE", default_value = "korean")]
    pub ladder_profile: String,
    /// An option of the ladder's rules to set otherwise, such as match.hands=5; may be given more than once.
    #[arg(long, env = "MIGHTY_LADDER_SET", value_delimiter = ';')]
    pub ladder_set: Vec<String>,
    /// The bank of a seat for a match of the ladder.
    #[arg(long, env = "MIGHTY_LADDER_BANK", default_value = "60s", value_parser = duration)]
    pub ladder_bank: Duration,
    /// What each move of the ladder adds to what may be thought about it.
    #[arg(long, env = "MIGHTY_LADDER_INCREMENT", default_value = "2s", value_parser = duration)]
    pub ladder_increment: Duration,
    /// How long a bot waits for others before house bots fill up its table.
    #[arg(long, env = "MIGHTY_LADDER_FILL_AFTER", default_value = "15s", value_parser = duration)]
    pub ladder_fill_after: Duration,
    /// How many rating points chance may add to a distance when tables are put together.
    #[arg(long, env = "MIGHTY_LADDER_SPREAD", default_value_t = 4.0)]
    pub ladder_spread: f64,
    /// How many matches of the ladder may be played at a time.
    #[arg(long, env = "MIGHTY_LADDER_TABLES", default_value_t = 64)]
    pub ladder_tables: usize,
    /// After how many matches the ladder ends; 0 for never.
    #[arg(long, env = "MIGHTY_LADDER_MATCHES", default_value_t = 0)]
    pub ladder_matches: u64,
    /// How many bots may wait for a match of the ladder.
    #[arg(long, env = "MIGHTY_LADDER_WAITING", default_value_t = 1024)]
    pub ladder_waiting: usize,
    /// Keeps the ratings of house bots where they are, as fixed anchors.
    #[arg(long, env = "MIGHTY_LADDER_PIN_HOUSE_BOTS", action = ArgAction::SetTrue)]
    pub ladder_pin_house_bots: bool,

    /// How many tables may wait or be played at a time.
    #[arg(long, env = "MIGHTY_TABLES", default_value_t = 1024)]
    pub tables: usize,
    /// How many tables that are over are still found.
    #[arg(long, env = "MIGHTY_FINISHED_TABLES", default_value_t = 64)]
    pub finished_tables: usize,
    /// How long a table at which nobody waits keeps its place when another one is wanted.
    #[arg(long, env = "MIGHTY_DESERTED_AFTER", default_value = "10m", value_parser = duration)]
    pub deserted_after: Duration,
    /// How many may look on at one table.
    #[arg(long, env = "MIGHTY_FOLLOWERS", default_value_t = 256)]
    pub followers: usize,
    /// How many tables, matches or records a page has at most.
    #[arg(long, env = "MIGHTY_PAGE_SIZE", default_value_t = 100)]
    pub page_size: u32,
    /// How many streams of records may run at once.
    #[arg(long, env = "MIGHTY_RECORD_STREAMS", default_value_t = 8)]
    pub record_streams: usize,
    /// How many records one of them holds at once.
    #[arg(long, env = "MIGHTY_RECORD_BATCH", default_value_t = 16)]
    pub record_batch: u32,
    /// How long one of them waits for a reader that takes nothing.
    #[arg(long, env = "MIGHTY_RECORD_PATIENCE", default_value = "30s", value_parser = duration)]
    pub record_patience: Duration,

    /// How long a stream may stay silent before its hello.
    #[arg(long, env = "MIGHTY_HELLO", default_value = "3s", value_parser = duration)]
    pub hello: Duration,
    /// How many updates may wait for a reader, and how many commands for a table.
    #[arg(long, env = "MIGHTY_QUEUE", default_value_t = 256)]
    pub queue: usize,
    /// How many answers of one stream may wait for its table.
    #[arg(long, env = "MIGHTY_ANSWERS", default_value_t = 8)]
    pub answers: usize,
    /// How many streams of players and spectators may be open in all.
    #[arg(long, env = "MIGHTY_STREAMS", default_value_t = 8192)]
    pub streams: usize,
    /// How many calls may be open on one connection.
    #[arg(long, env = "MIGHTY_STREAMS_PER_CONNECTION", default_value_t = 64)]
    pub streams_per_connection: u32,
    /// How many connections may be open.
    #[arg(long, env = "MIGHTY_CONNECTIONS", default_value_t = 2048)]
    pub connections: usize,
    /// How many connections may be open from one address.
    #[arg(long, env = "MIGHTY_CONNECTIONS_PER_ADDRESS", default_value_t = 1024)]
    pub connections_per_address: usize,
    /// How long a connection may take for its first bytes.
    #[arg(long, env = "MIGHTY_FIRST_BYTES", default_value = "3s", value_parser = duration)]
    pub first_bytes: Duration,
    /// How long no connection is taken after one could not be, such as for too many open files.
    #[arg(long, env = "MIGHTY_ACCEPT_PAUSE", default_value = "50ms", value_parser = duration)]
    pub accept_pause: Duration,
    /// How long a call may take until its answer or its stream begins.
    #[arg(long, env = "MIGHTY_CALL_TIME", default_value = "20s", value_parser = duration)]
    pub call_time: Duration,
    /// How large a message may be that comes in, in bytes.
    #[arg(long, env = "MIGHTY_MESSAGE_BYTES", default_value_t = 16 * 1024)]
    pub message_bytes: usize,
    /// How large all headers of a call may be, in bytes.
    #[arg(long, env = "MIGHTY_HEADER_BYTES", default_value_t = 8 * 1024)]
    pub header_bytes: u32,
    /// How many bytes a client may send on one call before they are read.
    #[arg(long, env = "MIGHTY_STREAM_WINDOW", default_value_t = 64 * 1024)]
    pub stream_window: u32,
    /// How many bytes a client may send on one connection before they are read. Half of them pays for small messages.
    #[arg(long, env = "MIGHTY_CONNECTION_WINDOW", default_value_t = 1024 * 1024)]
    pub connection_window: u32,
    /// How many calls the server may reset for a client's faults before it closes the connection.
    #[arg(long, env = "MIGHTY_FAULTY_CALLS", default_value_t = 256)]
    pub faulty_calls: usize,
    /// How many calls a client may take back before they were begun until its connection is closed.
    #[arg(long, env = "MIGHTY_WITHDRAWN_CALLS", default_value_t = 20)]
    pub withdrawn_calls: usize,
    /// How often a silent connection is asked whether it is still there.
    #[arg(long, env = "MIGHTY_KEEPALIVE", default_value = "10s", value_parser = duration)]
    pub keepalive: Duration,
    /// How long its answer may take.
    #[arg(long, env = "MIGHTY_KEEPALIVE_TIMEOUT", default_value = "5s", value_parser = duration)]
    pub keepalive_timeout: Duration,
    /// How many jobs may wait for the store.
    #[arg(long, env = "MIGHTY_STORE_QUEUE", default_value_t = 256)]
    pub store_queue: usize,
    /// How long the store waits while another process has its file locked.
    #[arg(long, env = "MIGHTY_STORE_LOCK_WAIT", default_value = "5s", value_parser = duration)]
    pub store_lock_wait: Duration,
    /// How long hands may go on when the server is stopped.
    #[arg(long, env = "MIGHTY_DRAIN", default_value = "30s", value_parser = duration)]
    pub drain: Duration,
    /// How long connections may take to end after that.
    #[arg(long, env = "MIGHTY_FAREWELL", default_value = "1s", value_parser = duration)]
    pub farewell: Duration,
}

impl Config {
    /// Reads the settings from arguments (the first is the program's name), environment and file, and checks them.
    ///
    /// # Errors
    /// What is wrong, and what would be right; also the texts of --help and --version.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Config, clap::Error> {
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        let given = Config::command().try_get_matches_from(&arguments)?;
        match given.get_one::<PathBuf>("config") {
            None => Config::from_matches(&given),
            Some(path) => {
                let place = path.display().to_string();
                let text = std::fs::read_to_string(path).map_err(|error| {
                    refuse(format!("--config: {place} cannot be read: {error}"))
                })?;
                Config::with_file(&arguments, &given, &place, &text)
            }
        }
    }

    /// As [`Config::read`], with a file that was read.
    fn with_file(
        arguments: &[OsString],
        given: &clap::ArgMatches,
        place: &str,
        text: &str,
    ) -> Result<Config, clap::Error> {
        let settings = settings(place, text, given)?;
        // What comes later replaces what came before: the file's flags come first.
        let name = arguments.iter().take(1).cloned();
        let rest = arguments.iter().skip(1).cloned();
        let all = name.chain(settings).chain(rest);
        Config::from_matches(&Config::command().try_get_matches_from(all)?)
    }

    fn from_matches(matches: &clap::ArgMatches) -> Result<Config, clap::Error> {
        let config = Config::from_arg_matches(matches)?;
        config.check().map_err(refuse)?;
        Ok(config)
    }

    /// The settings as they are without arguments, environment and file.
    ///
    /// # Panics
    /// Never: the defaults are right.
    pub fn with_defaults() -> Config {
        let matches = Config::command().mut_args(|arg| arg.env(clap::builder::Resettable::Reset));
        let matches = matches.get_matches_from(["mighty-server"]);
        Config::from_arg_matches(&matches).expect("every default is a right value")
    }

    /// The rules of the ladder.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn ladder_rules(&self) -> Result<Arc<Rules>, String> {
        let profile = Profile::named(&self.ladder_profile)
            .map_err(|error| format!("--ladder-profile: {error}"))?;
        let mut options = Vec::with_capacity(self.ladder_set.len());
        for option in &self.ladder_set {
            let option = option.split_once('=');
            let option = option.ok_or("--ladder-set: write option=value, such as match.hands=5")?;
            options.push(option);
        }
        let rules = Rules::with_texts(profile, options);
        rules.map(Arc::new).map_err(|error| format!("--ladder-set: {error}"))
    }

    /// The clock of a table that names none.
    pub fn time(&self) -> TimeControl {
        TimeControl { bank: self.bank, increment: self.increment }
    }

    /// The clock of the ladder.
    pub fn ladder_time(&self) -> TimeControl {
        TimeControl { bank: self.ladder_bank, increment: self.ladder_increment }
    }

    /// Who may connect.
    pub fn door(&self) -> DoorLimits {
        DoorLimits {
            connections: self.connections,
            per_address: self.connections_per_address,
            first_bytes: self.first_bytes,
            pause: self.accept_pause,
        }
    }

    fn check(&self) -> Result<(), String> {
        if !self.listen.ip().is_loopback() {
            return Err(format!(
                "--listen: {} is no loopback address, and there are neither tokens nor TLS yet; listen on 127.0.0.1 or [::1]",
                self.listen
            ));
        }
        self.ladder_rules()?;
        if mighty_house::by_name(&self.stand_in, 0).is_none() {
            let known = mighty_house::NAMES.join(" and ");
            return Err(format!(
                "--stand-in: there is no house bot `{}`; there are {known}",
                self.stand_in
            ));
        }
        if !(self.ladder_spread >= 0.0 && self.ladder_spread.is_finite()) {
            return Err("--ladder-spread: give a number from 0 up".to_owned());
        }
        if (self.bank + self.increment).is_zero() {
            return Err("--bank, --increment: give some time, one of them above 0".to_owned());
        }
        if (self.ladder_bank + self.ladder_increment).is_zero() {
            return Err(
                "--ladder-bank, --ladder-increment: give some time, one of them above 0".to_owned()
            );
        }
        let at_least_one: [(&str, u64); 20] = [
            ("--longest-match", self.longest_match.into()),
            ("--refusals", self.refusals.into()),
            ("--defaults-in-a-row", self.defaults_in_a_row.into()),
            ("--ladder-tables", self.ladder_tables as u64),
            ("--ladder-waiting", self.ladder_waiting as u64),
            ("--tables", self.tables as u64),
            ("--page-size", self.page_size.into()),
            ("--answers", self.answers as u64),
            ("--streams", self.streams as u64),
            ("--streams-per-connection", self.streams_per_connection.into()),
            ("--connections", self.connections as u64),
            ("--connections-per-address", self.connections_per_address as u64),
            ("--store-queue", self.store_queue as u64),
            ("--hello", self.hello.as_millis() as u64),
            ("--first-bytes", self.first_bytes.as_millis() as u64),
            ("--accept-pause", self.accept_pause.as_millis() as u64),
            ("--call-time", self.call_time.as_millis() as u64),
            ("--record-batch", self.record_batch.into()),
            ("--faulty-calls", self.faulty_calls as u64),
            ("--withdrawn-calls", self.withdrawn_calls as u64),
        ];
        if let Some((name, _)) = at_least_one.iter().find(|(_, value)| *value == 0) {
            return Err(format!("{name}: give at least 1 (a duration: at least 1ms)"));
        }
        let counts: [(&str, usize); 8] = [
            ("--queue", self.queue),
            ("--answers", self.answers),
            ("--streams", self.streams),
            ("--connections", self.connections),
            ("--connections-per-address", self.connections_per_address),
            ("--record-streams", self.record_streams),
            ("--ladder-waiting", self.ladder_waiting),
            ("--store-queue", self.store_queue),
        ];
        if let Some((name, _)) = counts.iter().find(|(_, count)| *count > LARGEST_COUNT) {
            return Err(format!("{name}: give at most {LARGEST_COUNT}"));
        }
        if self.store_lock_wait > LONGEST_LOCK_WAIT {
            return Err("--store-lock-wait: give at most 24h".to_owned());
        }
        if self.queue < SMALLEST_QUEUE {
            return Err(format!("--queue: give at least {SMALLEST_QUEUE}"));
        }
        if self.message_bytes < 1024 || self.header_bytes < 1024 {
            return Err("--message-bytes, --header-bytes: give at least 1024".to_owned());
        }
        for (name, window) in [
            ("--stream-window", self.stream_window),
            ("--connection-window", self.connection_window),
        ] {
            if !WINDOWS.contains(&window) {
                return Err(format!("{name}: give {} to {}", WINDOWS.start(), WINDOWS.end()));
            }
        }
        if self.keepalive < Duration::from_millis(100) || self.keepalive_timeout.is_zero() {
            return Err(
                "--keepalive: give at least 100ms, and --keepalive-timeout some time".to_owned()
            );
        }
        Ok(())
    }
}

/// A queue holds at least what a viewer is sent at once when it joins, and something more.
const SMALLEST_QUEUE: usize = 8;
/// More than any machine can hold, and no more than a queue or a count of permits takes.
const LARGEST_COUNT: usize = 1_000_000_000;
/// SQLite counts the milliseconds that it waits in 31 bits.
const LONGEST_LOCK_WAIT: Duration = Duration::from_secs(24 * 3600);
/// HTTP/2 begins with the smallest of these, and has no larger window than the last.
const WINDOWS: std::ops::RangeInclusive<u32> = 65_535..=i32::MAX as u32;

fn refuse(problem: impl std::fmt::Display) -> clap::Error {
    Config::command().error(clap::error::ErrorKind::ValueValidation, problem)
}

/// The settings of a file as flags, but those that are given otherwise.
fn settings(
    place: &str,
    text: &str,
    given: &clap::ArgMatches,
) -> Result<Vec<OsString>, clap::Error> {
    let table: toml::Table =
        text.parse().map_err(|error| refuse(format!("--config: {place} is no TOML: {error}")))?;
    let command = Config::command();
    let mut flags = Vec::new();
    for (key, value) in table {
        let known = command.get_arguments().any(|argument| argument.get_id() == key.as_str());
        if !known || key == "config" {
            return Err(refuse(format!(
                "--config: {place}: there is no setting `{key}`; see --help, with dashes as underscores"
            )));
        }
        if let Some(ValueSource::EnvVariable | ValueSource::CommandLine) = given.value_source(&key)
        {
            continue;
        }
        let flag = format!("--{}", key.replace('_', "-"));
        let values = match value {
            toml::Value::Boolean(false) => continue,
            toml::Value::Boolean(true) => {
                flags.push(flag.into());
                continue;
            }
            toml::Value::Array(values) => values,
            value @ (toml::Value::String(_)
            | toml::Value::Integer(_)
            | toml::Value::Float(_)
            | toml::Value::Datetime(_)
            | toml::Value::Table(_)) => vec![value],
        };
        for value in values {
            let text = match value {
                toml::Value::String(text) => text,
                value @ (toml::Value::Boolean(_)
                | toml::Value::Integer(_)
                | toml::Value::Float(_)
                | toml::Value::Datetime(_)
                | toml::Value::Array(_)
                | toml::Value::Table(_)) => value.to_string(),
            };
            flags.push(format!("{flag}={text}").into());
        }
    }
    Ok(flags)
}

/// Reads a duration: a whole number of ms, s, m or h.
///
/// # Errors
/// How it is written.
pub fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let read = digits.parse::<u64>().ok().and_then(|number| {
        let milliseconds = match &text[digits.len()..] {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        number.checked_mul(milliseconds).map(Duration::from_millis)
    });
    let longest = Duration::from_secs(10 * 365 * 24 * 3600);
    read.filter(|read| *read <= longest).ok_or_else(|| {
        "write a whole number of ms, s, m or h, such as 500ms or 10s, ten years at most".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(arguments: &[&str]) -> Vec<OsString> {
        let arguments = std::iter::once("mighty-server").chain(arguments.iter().copied());
        arguments.map(OsString::from).collect()
    }

    fn read(flags: &[&str]) -> Result<Config, String> {
        Config::read(arguments(flags)).map_err(|error| error.to_string())
    }

    fn read_with_file(text: &str, flags: &[&str]) -> Result<Config, String> {
        let arguments = arguments(flags);
        let given = Config::command().try_get_matches_from(&arguments).unwrap();
        let read = Config::with_file(&arguments, &given, "a.toml", text);
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn a_flag_goes_before_the_file_and_that_before_the_default() {
        let file = r#"
            refusals = 5
            absence = "5s"
            json_logs = true
            no_ladder = false
            ladder_set = ["match.hands=1"]
        "#;
        let config = read_with_file(file, &["--absence", "7s"]).unwrap();
        assert_eq!(config.refusals, 5);
        assert_eq!(config.absence, Duration::from_secs(7));
        assert_eq!(config.defaults_in_a_row, 3);
        assert!(config.json_logs && !config.no_ladder);
        assert_eq!(config.ladder_rules().unwrap().r#match.hands, 1);
        let config = read_with_file(file, &["--ladder-set", "match.hands=2"]).unwrap();
        assert_eq!(config.ladder_set, ["match.hands=2"]);
        let flags = ["--ladder-set", "match.hands=2", "--ladder-set", "auction.minimum=15"];
        assert_eq!(read(&flags).unwrap().ladder_set.len(), 2);
        assert_eq!(read(&["--refusals", "4", "--refusals", "5"]).unwrap().refusals, 5);
    }

    #[test]
    fn a_wrong_setting_is_refused_by_name_with_what_would_be_right() {
        for (arguments, said) in [
            (vec!["--listen", "0.0.0.0:7435"], "loopback"),
            (vec!["--listen", "here"], "--listen"),
            (vec!["--absence", "1 minute"], "500ms"),
            (vec!["--stand-in", "nobody"], "random and cautious"),
            (vec!["--ladder-profile", "poker"], "classic, hunter, ripper and korean"),
            (vec!["--ladder-set", "match.hands"], "option=value"),
            (vec!["--ladder-set", "match.hand=1"], "match.hands"),
            (vec!["--refusals", "0"], "--refusals"),
            (vec!["--queue", "1"], "--queue"),
            (vec!["--queue", "18446744073709551615"], "--queue"),
            (vec!["--streams", "18446744073709551615"], "--streams"),
            (vec!["--store-lock-wait", "1000h"], "24h"),
            (vec!["--stream-window", "0"], "65535"),
            (vec!["--connection-window", "3000000000"], "2147483647"),
            (vec!["--call-time", "0s"], "--call-time"),
            (vec!["--bank", "0s", "--increment", "0s"], "--bank"),
            (vec!["--ladder-spread", "NaN"], "--ladder-spread"),
            (vec!["--config", "no-such-file.toml"], "no-such-file.toml"),
            (vec!["--frobnicate"], "--frobnicate"),
        ] {
            let error = read(&arguments).unwrap_err();
            assert!(error.contains(said), "{arguments:?}: {error}");
        }
    }

    #[test]
    fn a_wrong_file_is_refused_with_the_line_that_is_wrong() {
        for (text, said) in [
            ("refusal = 3", "there is no setting `refusal`"),
            ("config = \"other\"", "there is no setting `config`"),
            ("refusals = \"three\"", "--refusals"),
            ("refusals 3", "no TOML"),
        ] {
            let error = read_with_file(text, &[]).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn the_defaults_are_right() {
        Config::with_defaults().check().unwrap();
    }
}
