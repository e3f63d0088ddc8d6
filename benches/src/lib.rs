//! Speeds, each as a ratio to a yardstick that is taken in the same run: rounds of both alternate, and their medians
//! are compared, by processor time where the system tells it, since others may share the cores.

pub mod dice;
pub mod sketch;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How many rounds of each side are taken.
pub const ROUNDS: usize = 7;

/// What one unit of work costs on each side.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// Ours, the median of the rounds.
    pub ours: Duration,
    /// The yardstick's, the median of the rounds.
    pub yardstick: Duration,
}

impl Comparison {
    /// Ours divided by the yardstick.
    pub fn ratio(&self) -> f64 {
        self.ours.as_secs_f64() / self.yardstick.as_secs_f64()
    }

    /// The figures as a JSON object, in nanoseconds.
    pub fn json(&self) -> Value {
        json!({
            "ours_ns": self.ours.as_nanos() as u64,
            "yardstick_ns": self.yardstick.as_nanos() as u64,
            "ratio": self.ratio(),
        })
    }
}

/// Takes alternating rounds of so many units of work on both sides.
pub fn compare(units: u32, mut ours: impl FnMut(), mut yardstick: impl FnMut()) -> Comparison {
    let (mut our_rounds, mut yardstick_rounds) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        our_rounds.push(time(units, &mut ours));
        yardstick_rounds.push(time(units, &mut yardstick));
    }
    Comparison { ours: median(our_rounds), yardstick: median(yardstick_rounds) }
}

/// What one of so many units of work costs.
pub fn time(units: u32, mut work: impl FnMut()) -> Duration {
    let before = now();
    for _ in 0..units {
        work();
    }
    (now() - before) / units
}

fn median(mut rounds: Vec<Duration>) -> Duration {
    rounds.sort_unstable();
    rounds[rounds.len() / 2]
}

/// The processor time of this thread, or, where the system does not tell it, the time since the first call.
fn now() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = *START.get_or_init(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let on_processor = told.as_deref().and_then(|told| told.split(' ').next()?.parse().ok());
    on_processor.map_or_else(|| start.elapsed(), Duration::from_nanos)
}
