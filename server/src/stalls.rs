//! How late the server itself is: time that it lost is nobody else's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::table::clock::Moment;

/// The server's clock, and how much of its time it has lost so far. A clone is the same clock.
#[derive(Clone, Debug)]
pub struct ServerClock {
    origin: Instant,
    lost: Arc<AtomicU64>,
    /// When the last beat was, in microseconds after the origin.
    beat: Arc<AtomicU64>,
}

/// How often the server looks whether it is late.
const BEAT: Duration = Duration::from_millis(20);
/// Lateness up to this is no stall: timers and schedulers are never exact.
const TOLERANCE: Duration = Duration::from_millis(30);
/// Lateness from here on is a sign that the machine has too much to do.
const WORTH_A_WARNING: Duration = Duration::from_millis(250);

impl ServerClock {
    /// A clock that starts now, and a task that measures until it is dropped with its runtime.
    pub fn start() -> ServerClock {
        let clock = ServerClock {
            origin: Instant::now(),
            lost: Arc::new(AtomicU64::new(0)),
            beat: Arc::new(AtomicU64::new(0)),
        };
        tokio::spawn(clock.clone().measure());
        clock
    }

    /// What time it is.
    pub fn now(&self) -> Moment {
        self.moment(Instant::now())
    }

    /// What time it was then.
    pub fn moment(&self, then: Instant) -> Moment {
        let at = then.saturating_duration_since(self.origin);
        let lost = Duration::from_micros(self.lost.load(Ordering::Relaxed));
        Moment { at, stalled: lost + self.overdue(at) }
    }

    /// When this time is on the clock.
    pub fn instant(&self, at: Duration) -> Instant {
        self.origin + at
    }

    /// The stall that goes on: a beat that should have been.
    fn overdue(&self, at: Duration) -> Duration {
        let beat = Duration::from_micros(self.beat.load(Ordering::Relaxed));
        let late = at.saturating_sub(beat + BEAT);
        if late > TOLERANCE { late } else { Duration::ZERO }
    }

    async fn measure(self) {
        let mut beats = interval(BEAT);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            beats.tick().await;
            let at = Instant::now().saturating_duration_since(self.origin);
            let late = self.overdue(at);
            self.beat.store(at.as_micros() as u64, Ordering::Relaxed);
            if !late.is_zero() {
                self.lost.fetch_add(late.as_micros() as u64, Ordering::Relaxed);
                if late < WORTH_A_WARNING {
                    tracing::debug!(?late, "the server was late; no bot is charged for it");
                } else {
                    tracing::warn!(?late, "the server was late; no bot is charged for it");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_passes_without_a_stall_while_the_server_keeps_up() {
        let clock = ServerClock::start();
        tokio::time::sleep(Duration::from_secs(10)).await;
        let now = clock.now();
        assert!(now.at >= Duration::from_secs(10));
        assert_eq!(now.stalled, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_blocked_server_counts_its_own_lateness() {
        let clock = ServerClock::start();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let before = clock.now();
        // Nothing else runs meanwhile, as when a thread is blocked.
        tokio::time::advance(Duration::from_secs(3)).await;
        let charged = clock.now().since(before);
        assert!(charged <= BEAT + TOLERANCE, "{charged:?}");
    }
}
