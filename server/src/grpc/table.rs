//! `TableService`: making and finding tables, playing at them, following them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use mighty_protocol::v1;
use mighty_protocol::v1::table_service_server::TableService;
use mighty_rules::{BySeat, Seat};
use tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming};
use uuid::Uuid;

use super::rules::read_rules;
use super::session::{Sessions, Told, act};
use super::status::{self, Failure};
use super::update;
use crate::lobby::{SeatPlan, TableInfo};
use crate::matches::TimeControl;
use crate::table::standing::Progress;
use crate::table::update::{Reply, SeatInfo};

/// The service over the lobby and its sessions.
#[derive(Debug)]
pub struct TableApi {
    sessions: Arc<Sessions>,
    limits: TableApiLimits,
}

/// What may be asked of the service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableApiLimits {
    /// How many tables a page has at most.
    pub page_size: usize,
    /// The clock of a table that names none.
    pub time: TimeControl,
    /// The longest bank, and the longest increment, that a table may ask for.
    pub longest_time: Duration,
    /// How many hands a match at a new table may have.
    pub longest_match: u16,
}

impl TableApi {
    /// The service.
    pub fn new(sessions: Arc<Sessions>, limits: TableApiLimits) -> TableApi {
        TableApi { sessions, limits }
    }

    fn read_time(&self, clock: Option<v1::Clock>) -> Result<TimeControl, Status> {
        let Some(v1::Clock { bank, increment }) = clock else { return Ok(self.limits.time) };
        let longest = self.limits.longest_time;
        let read = |duration: Option<prost_types::Duration>| {
            let read = read_duration(duration.unwrap_or_default());
            let read = read.filter(|read| *read <= longest);
            read.ok_or_else(|| {
                status::invalid("Clock", &format!("bank and increment are from 0 to {longest:?}"))
            })
        };
        let time = TimeControl { bank: read(bank)?, increment: read(increment)? };
        if time.bank.is_zero() && time.increment.is_zero() {
            return Err(status::invalid("Clock", "give some time: bank or increment above 0"));
        }
        Ok(time)
    }
}

#[tonic::async_trait]
impl TableService for TableApi {
    async fn create_table(
        &self,
        request: Request<v1::CreateTableRequest>,
    ) -> Result<Response<v1::CreateTableResponse>, Status> {
        let v1::CreateTableRequest { profile, overrides, seats, clock } = request.into_inner();
        let rules = read_rules(&profile, &overrides)?;
        let (hands, longest) = (rules.r#match.hands, self.limits.longest_match);
        if hands > longest {
            let text = format!("a match has 1 to {longest} hands on this server, not {hands}");
            return Err(status::invalid("match.hands", &text));
        }
        let seats = read_plans(seats)?;
        let time = self.read_time(clock)?;
        let table =
            self.sessions.lobby().create(Arc::new(rules), seats, time).map_err(Failure::from)?;
        Ok(Response::new(v1::CreateTableResponse { table: Some(wire_table(table)) }))
    }

    async fn list_tables(
        &self,
        request: Request<v1::ListTablesRequest>,
    ) -> Result<Response<v1::ListTablesResponse>, Status> {
        let v1::ListTablesRequest { page_size, page_token } = request.into_inner();
        let limit = self.limits.page_size;
        let size = if page_size == 0 { limit } else { limit.min(page_size as usize) };
        let before = (!page_token.is_empty()).then_some(page_token.as_str());
        if before.is_some_and(|id| Uuid::try_parse(id).is_err()) {
            let text =
                "it is none of this list; send next_page_token of the page before, or nothing";
            return Err(status::invalid("page_token", text));
        }
        let (tables, next) = self.sessions.lobby().list(before, size);
        Ok(Response::new(v1::ListTablesResponse {
            tables: tables.into_iter().map(wire_table).collect(),
            next_page_token: next.unwrap_or_default(),
        }))
    }

    async fn get_table(
        &self,
        request: Request<v1::GetTableRequest>,
    ) -> Result<Response<v1::GetTableResponse>, Status> {
        let id = request.into_inner().table_id;
        let table = self.sessions.lobby().get(&id).map_err(Failure::from)?;
        Ok(Response::new(v1::GetTableResponse { table: Some(wire_table(table)) }))
    }

    type PlayStream = Updates<v1::PlayResponse>;

    async fn play(
        &self,
        request: Request<Streaming<v1::PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        // The head of the response goes out at once: many clients wait for it before they say hello.
        let told = self.sessions.start(request.into_inner())?;
        Ok(Response::new(Updates {
            told,
            wrap: |update| v1::PlayResponse { update: Some(update) },
            is_done: false,
        }))
    }

    type FollowStream = Updates<v1::FollowResponse>;

    async fn follow(
        &self,
        request: Request<v1::FollowRequest>,
    ) -> Result<Response<Self::FollowStream>, Status> {
        use v1::follow_request::Viewer;
        let told = match request.into_inner().viewer {
            Some(Viewer::Spectator(v1::Spectator { table_id, .. })) => {
                self.sessions.look_on(table_id)?
            }
            Some(Viewer::Player(hello)) => self.sessions.start_with(hello)?,
            None => {
                let text = "say as whom to follow: spectator or player";
                return Err(status::invalid("FollowRequest.viewer", text));
            }
        };
        Ok(Response::new(Updates {
            told,
            wrap: |update| v1::FollowResponse { update: Some(update) },
            is_done: false,
        }))
    }

    async fn act(
        &self,
        request: Request<v1::ActRequest>,
    ) -> Result<Response<v1::ActResponse>, Status> {
        let v1::ActRequest { resume_token, answer } = request.into_inner();
        let answer =
            answer.ok_or_else(|| status::invalid("ActRequest.answer", "send an answer"))?;
        match act(self.sessions.lobby(), &resume_token, answer).await? {
            Reply::Accepted { turn, played, repeated } => {
                let accepted = Some(update::accepted(turn, played, repeated));
                Ok(Response::new(v1::ActResponse { accepted }))
            }
            Reply::Refused { why, tries_left, .. } => Err(status::refusal(&why, tries_left)),
        }
    }
}

/// The updates of a stream, and then its end.
pub struct Updates<T> {
    told: Told,
    wrap: fn(v1::Update) -> T,
    is_done: bool,
}

impl<T> Stream for Updates<T> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.is_done {
            return Poll::Ready(None);
        }
        if let Some(told) = ready!(self.told.inlet.poll_next(cx)) {
            let is_open = self.told.desk.as_ref().is_some_and(|desk| desk.is_open());
            let update = update::update(told, is_open);
            return Poll::Ready(Some(Ok((self.wrap)(update))));
        }
        let verdict = ready!(Pin::new(&mut self.told.verdict).poll(cx));
        self.is_done = true;
        Poll::Ready(match verdict {
            Ok(Ok(())) => None,
            Ok(Err(status)) => Some(Err(status)),
            // The session broke before it could say how the stream ends.
            Err(_) => Some(Err(status::broken())),
        })
    }
}

/// A duration of the wire, as far as it is one from 0 up.
fn read_duration(duration: prost_types::Duration) -> Option<Duration> {
    let prost_types::Duration { seconds, nanos } = duration;
    let (seconds, nanos) = (u64::try_from(seconds).ok()?, u32::try_from(nanos).ok()?);
    (nanos < 1_000_000_000).then(|| Duration::new(seconds, nanos))
}

fn read_plans(plans: Vec<v1::SeatPlan>) -> Result<BySeat<SeatPlan>, Status> {
    use v1::seat_plan::Who;
    if plans.len() > Seat::ALL.len() {
        return Err(status::invalid("CreateTableRequest.seats", "there are five seats at most"));
    }
    let mut plans = plans.into_iter().map(|plan| match plan.who {
        Some(Who::House(name)) => SeatPlan::House(name),
        Some(Who::Open(_)) | None => SeatPlan::Open,
    });
    Ok(BySeat::from_fn(|_| plans.next().unwrap_or(SeatPlan::Open)))
}

fn wire_table(table: TableInfo) -> v1::Table {
    let state = match table.standing.map(|standing| standing.progress) {
        None => v1::table::State::Waiting,
        Some(Progress::Playing | Progress::Closing) => v1::table::State::Playing,
        Some(Progress::Over) => v1::table::State::Over,
        Some(Progress::BrokenOff) => v1::table::State::BrokenOff,
    };
    let seats = Seat::ALL.map(|seat| {
        let player = table.players[seat].clone();
        let state = table.seat(seat);
        let info = player.map(|player| SeatInfo {
            player,
            present: state.present,
            given_up: state.given_up,
        });
        update::seat_info(info)
    });
    let totals = table.standing.map(|standing| standing.totals).unwrap_or_default();
    let record_id = match state {
        v1::table::State::Over => table.id.clone(),
        v1::table::State::Unspecified
        | v1::table::State::Waiting
        | v1::table::State::Playing
        | v1::table::State::BrokenOff => String::new(),
    };
    v1::Table {
        table_id: table.id,
        state: state.into(),
        rules: Some((&*table.rules).into()),
        seats: seats.into(),
        hand: table.standing.map_or(0, |standing| standing.hand),
        hands: u32::from(table.rules.r#match.hands),
        totals_half_points: mighty_protocol::encode::half_points(&totals),
        followers: table.followers as u32,
        ladder: table.ladder,
        created_at: Some(table.created_at.into()),
        record_id,
    }
}
