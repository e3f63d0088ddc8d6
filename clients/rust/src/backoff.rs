//! How long to wait before the next attempt.

use std::time::Duration;

use rand::RngExt;

use crate::options::Reconnecting;

/// The waits between attempts that follow each other.
#[derive(Debug)]
pub(crate) struct Backoff {
    limits: Reconnecting,
    failed: u32,
}

impl Backoff {
    pub(crate) fn new(limits: Reconnecting) -> Backoff {
        Backoff { limits, failed: 0 }
    }

    /// The server has answered: the next failure is a first one.
    pub(crate) fn reset(&mut self) {
        self.failed = 0;
    }

    /// How long to wait after one more failure, at least as long as asked for; `None` when it was one too many.
    pub(crate) fn after_failure(&mut self, at_least: Option<Duration>) -> Option<Duration> {
        self.failed += 1;
        if self.failed > self.limits.attempts {
            return None;
        }
        let doubled = 2_u32.saturating_pow(self.failed - 1);
        let wait = self.limits.first_wait.saturating_mul(doubled).min(self.limits.longest_wait);
        let wait = wait.mul_f64(rand::rng().random_range(0.5..=1.0));
        Some(wait.max(at_least.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_end() {
        let seconds = Duration::from_secs;
        let limits = Reconnecting { first_wait: seconds(1), longest_wait: seconds(5), attempts: 4 };
        let mut backoff = Backoff::new(limits);
        for longest in [1, 2, 4, 5] {
            let wait = backoff.after_failure(None).expect("an attempt is left");
            assert!(wait >= seconds(longest) / 2 && wait <= seconds(longest), "{wait:?}");
        }
        assert_eq!(backoff.after_failure(None), None);
        backoff.reset();
        assert_eq!(backoff.after_failure(Some(seconds(30))), Some(seconds(30)));
    }
}
