//! A spectator: follows a table and tells what happens there.

use std::collections::VecDeque;

use mighty_protocol::v1;
use mighty_rules::{BySeat, Dealing, Score, View};
use tokio::time::{Instant, sleep_until};
use tonic::{Status, Streaming};

use crate::backoff::Backoff;
use crate::news::{MatchInfo, News, NoticeKind};
use crate::options::Reconnecting;
use crate::server::Server;
use crate::stopped::{Stopped, after_trouble, in_words, is_broken_off, is_passing};
use crate::story::{Story, Trouble};

/// Follows a table, through lost connections, to the end of its match.
pub struct Spectator {
    server: Server,
    request: v1::FollowRequest,
    backoff: Backoff,
    incoming: Option<Streaming<v1::FollowResponse>>,
    story: Option<Story>,
    /// What was heard and not yet told. It holds no more than one message of the server.
    news: VecDeque<News>,
    /// Until when to wait before the next attempt.
    pause: Option<Instant>,
    matches: u32,
    /// Why there is nothing more to come, once that is known.
    ended: Option<Stopped>,
}

impl Spectator {
    /// A spectator of this table. The token is that of an account; empty where the server asks for none.
    pub fn new(server: &Server, table_id: &str, token: &str, limits: Reconnecting) -> Spectator {
        let (table_id, token) = (table_id.to_owned(), token.to_owned());
        let viewer = v1::follow_request::Viewer::Spectator(v1::Spectator { table_id, token });
        Spectator {
            server: server.clone(),
            request: v1::FollowRequest { viewer: Some(viewer) },
            backoff: Backoff::new(limits),
            incoming: None,
            story: None,
            news: VecDeque::new(),
            pause: None,
            matches: 0,
            ended: None,
        }
    }

    /// What happens next. It may be dropped while it waits, and asked again.
    ///
    /// # Errors
    /// Why there is nothing more to follow; [`Stopped::Finished`] after the end of the match.
    pub async fn next(&mut self) -> Result<News, Stopped> {
        loop {
            if let Some(news) = self.news.pop_front() {
                return Ok(news);
            }
            let why = match self.listen().await {
                Ok(Some(update)) => match self.take_in(update) {
                    Ok(()) => continue,
                    Err(trouble) => after_trouble(&trouble)?,
                },
                Ok(None) => match self.ended.clone() {
                    Some(ended) => return Err(ended),
                    None => "the stream ended in the middle of a match".to_owned(),
                },
                Err(status) if is_broken_off(&status) => return Err(Stopped::BrokenOff),
                Err(status) if is_passing(&status) => in_words(&status),
                Err(status) => return Err(Stopped::refused(&status)),
            };
            self.incoming = None;
            let Some(after) = self.backoff.after_failure(None) else {
                let server = self.server.address().to_owned();
                return Err(Stopped::GaveUpReconnecting { server, last_error: why });
            };
            self.pause = Some(Instant::now() + after);
            self.news.push_back(News::Reconnecting { after, why });
        }
    }

    /// The hand in play, as all know it; unset before the first.
    pub fn view(&self) -> Option<&View> {
        self.story.as_ref()?.view.as_ref()
    }

    /// Which hand is in play, and who deals it; unset before the first.
    pub fn dealing(&self) -> Option<Dealing> {
        self.story.as_ref()?.dealing
    }

    /// The match; unset before it begins.
    pub fn info(&self) -> Option<&MatchInfo> {
        self.story.as_ref().map(|story| &story.info)
    }

    /// The totals so far.
    pub fn totals(&self) -> BySeat<Score> {
        self.story.as_ref().map_or(BySeat::default(), |story| story.totals)
    }
}

impl Spectator {
    /// The next update; `None` when the stream has ended.
    async fn listen(&mut self) -> Result<Option<v1::update::Kind>, Status> {
        loop {
            let Some(incoming) = &mut self.incoming else {
                if let Some(until) = self.pause {
                    sleep_until(until).await;
                    self.pause = None;
                }
                let followed = self.server.tables().follow(self.request.clone()).await?;
                self.incoming = Some(followed.into_inner());
                continue;
            };
            let Some(response) = incoming.message().await? else { return Ok(None) };
            self.backoff.reset();
            if let Some(update) = response.update.and_then(|update| update.kind) {
                return Ok(Some(update));
            }
        }
    }

    fn take_in(&mut self, update: v1::update::Kind) -> Result<(), Trouble> {
        use v1::update::Kind;
        match update {
            Kind::Waiting(v1::Waiting { reason, seats_open }) => {
                self.news.push_back(News::Waiting { reason, seats_open });
            }
            Kind::MatchStart(start) => {
                let story = Story::go_on(self.story.take(), start)?;
                self.news.push_back(News::MatchStarted(Box::new(story.info.clone())));
                self.story = Some(story);
            }
            Kind::Snapshot(snapshot) => {
                let missed = self.story()?.catch_up(&snapshot)?;
                self.news.push_back(News::CaughtUp { missed });
            }
            Kind::Events(v1::Events { events }) => self.hear(&events)?,
            Kind::MatchOver(v1::MatchOver { match_id, events, another_follows }) => {
                self.hear(&events)?;
                self.matches += 1;
                self.ended = Some(Stopped::Finished { matches: self.matches });
                self.news.push_back(News::MatchOver { match_id, another_follows });
            }
            Kind::Notice(notice) => {
                let kind = NoticeKind::from(notice.kind());
                if kind == NoticeKind::BrokenOff {
                    self.ended = Some(Stopped::BrokenOff);
                }
                self.news.push_back(News::Notice { kind, message: notice.message });
            }
            // These are for seats.
            Kind::Turn(_) | Kind::Accepted(_) | Kind::Refused(_) => {}
        }
        Ok(())
    }

    fn story(&mut self) -> Result<&mut Story, Trouble> {
        self.story.as_mut().ok_or(Trouble::NothingBegan)
    }

    fn hear(&mut self, events: &[v1::Event]) -> Result<(), Trouble> {
        for event in events {
            if let Some(told) = self.story()?.hear(event)? {
                self.news.push_back(News::Told(told));
            }
        }
        Ok(())
    }
}
