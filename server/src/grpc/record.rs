//! `RecordService`: records of matches, for whoever wants to replay and verify them.

use std::pin::Pin;
use std::sync::Arc;

use mighty_protocol::v1;
use mighty_protocol::v1::record_service_server::RecordService;
use mighty_rules::MatchLine;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use super::status;
use super::stored::{List, ReadLimits, failed};
use crate::store::{SavedMatch, SavedRecord, Store};

/// Who knows the records of matches that go on.
#[tonic::async_trait]
pub trait LiveRecords: Send + Sync + 'static {
    /// The record of the finished hands of the match with this id, without its seed; `None` where no such match goes on.
    async fn live_record(&self, id: &str) -> Option<LiveRecord>;
}

/// The record of a match that goes on.
#[derive(Clone, Debug)]
pub struct LiveRecord {
    /// Its finished hands, each with its deck; without the seed, from which the decks to come would follow.
    pub line: MatchLine,
    /// Whether it is a match of the ladder.
    pub ladder: bool,
}

/// The service over a store, and over the tables where matches go on.
pub struct RecordApi {
    store: Store,
    live: Arc<dyn LiveRecords>,
    limits: ReadLimits,
    streams: Arc<Semaphore>,
    stopping: CancellationToken,
}

impl RecordApi {
    /// The service; its streams end when `stopping` is cancelled.
    pub fn new(
        store: Store,
        live: Arc<dyn LiveRecords>,
        limits: ReadLimits,
        stopping: CancellationToken,
    ) -> RecordApi {
        let streams = Arc::new(Semaphore::new(limits.record_streams));
        RecordApi { store, live, limits, streams, stopping }
    }

    async fn find(&self, id: &str) -> Result<Option<v1::Record>, Status> {
        if let Some(record) = self.store.record(id).await.map_err(failed)? {
            return Ok(Some(wire_record(record)));
        }
        if let Some(live) = self.live.live_record(id).await {
            return Ok(Some(wire_live_record(id, live)));
        }
        // It may have ended between the two questions.
        let record = self.store.record(id).await.map_err(failed)?;
        Ok(record.map(wire_record))
    }
}

type Streamed = Result<v1::StreamRecordsResponse, Status>;

#[tonic::async_trait]
impl RecordService for RecordApi {
    async fn get_record(
        &self,
        request: Request<v1::GetRecordRequest>,
    ) -> Result<Response<v1::GetRecordResponse>, Status> {
        let id = request.into_inner().record_id;
        if id.is_empty() {
            return Err(status::invalid("record_id", "name the record, the match or the table"));
        }
        let record = self.find(&id).await?;
        let record = record.ok_or_else(|| status::not_found("record with this id"))?;
        Ok(Response::new(v1::GetRecordResponse { record: Some(record) }))
    }

    async fn list_records(
        &self,
        request: Request<v1::ListRecordsRequest>,
    ) -> Result<Response<v1::ListRecordsResponse>, Status> {
        let v1::ListRecordsRequest { name, page_size, page_token } = request.into_inner();
        let query = List::Records.query(&self.limits, name.clone(), page_size, &page_token)?;
        let page = self.store.matches(query).await.map_err(failed)?;
        let next = page.next_before.map(|before| List::Records.token(&name, before));
        let without_line = |saved| wire_record(SavedRecord { saved, line: String::new() });
        Ok(Response::new(v1::ListRecordsResponse {
            records: page.matches.into_iter().map(without_line).collect(),
            next_page_token: next.unwrap_or_default(),
        }))
    }

    type StreamRecordsStream = Pin<Box<dyn Stream<Item = Streamed> + Send>>;

    async fn stream_records(
        &self,
        request: Request<v1::StreamRecordsRequest>,
    ) -> Result<Response<Self::StreamRecordsStream>, Status> {
        let Ok(permit) = self.streams.clone().try_acquire_owned() else {
            return Err(status::too_many_streams(self.limits.record_streams));
        };
        let name = request.into_inner().name;
        let (reader, records) = mpsc::channel(1);
        let walk = Walk { store: self.store.clone(), name, limits: self.limits, reader };
        let stopping = self.stopping.clone();
        let walk = tokio::spawn(async move {
            let _permit = permit;
            match stopping.run_until_cancelled(walk.send_all()).await {
                Some(ended) => ended,
                None => Err(status::stopped()),
            }
        });
        // How it failed has a channel of its own, since the reader's may be full just then.
        let (fail, failure) = mpsc::channel(1);
        tokio::spawn(async move {
            let ended = walk.await.unwrap_or_else(|_| Err(status::broken()));
            if let Err(status) = ended {
                let _ = fail.send(Err(status)).await;
            }
        });
        let stream = ReceiverStream::new(records).chain(ReceiverStream::new(failure));
        Ok(Response::new(Box::pin(stream)))
    }
}

/// A walk through the records for one reader.
struct Walk {
    store: Store,
    name: String,
    limits: ReadLimits,
    reader: mpsc::Sender<Streamed>,
}

impl Walk {
    /// Sends all records, oldest first, batch by batch; a reader that has gone ends it.
    async fn send_all(self) -> Result<(), Status> {
        let size = self.limits.stream_batch.max(1);
        let mut last = 0;
        loop {
            let batch = self.store.records_after(last, &self.name, size).await.map_err(failed)?;
            if batch.is_empty() {
                return Ok(());
            }
            for record in batch {
                last = record.saved.number;
                let message = v1::StreamRecordsResponse { record: Some(wire_record(record)) };
                match timeout(self.limits.stream_wait, self.reader.send(Ok(message))).await {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) => return Ok(()),
                    Err(_) => {
                        return Err(status::too_slow());
                    }
                }
            }
        }
    }
}

fn wire_record(SavedRecord { saved, line }: SavedRecord) -> v1::Record {
    let SavedMatch { id, profile, ended_at, ladder, seats, .. } = saved;
    let (names, totals_half_points) = seats
        .0
        .into_iter()
        .map(|seat| (seat.report.player.name, seat.report.total.in_halves()))
        .unzip();
    v1::Record {
        record_id: id,
        profile,
        names,
        ended_at: Some(ended_at.into()),
        totals_half_points,
        ladder,
        line,
    }
}

fn wire_live_record(id: &str, LiveRecord { line, ladder }: LiveRecord) -> v1::Record {
    let json = serde_json::to_string(&line)
        .expect("a record is plain data with text for keys, which JSON can hold");
    let totals = line.totals.unwrap_or_default();
    v1::Record {
        record_id: id.to_owned(),
        profile: line.profile,
        names: line.players.map(Vec::from).unwrap_or_default(),
        ended_at: None,
        totals_half_points: totals.into_iter().map(|total| total.in_halves()).collect(),
        ladder,
        line: json,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use tonic::Code;

    use super::*;
    use crate::ladder::rating::RatingRules;
    use crate::matches::FinishedMatch;
    use crate::store::StoreLimits;
    use crate::store::tests::{FIVE, finished};

    /// The tables: at most one match that goes on, and a match that ends just when it is asked for.
    #[derive(Default)]
    struct Tables {
        playing: Option<FinishedMatch>,
        ends_when_asked: Mutex<Option<FinishedMatch>>,
        store: Option<Store>,
    }

    #[tonic::async_trait]
    impl LiveRecords for Tables {
        async fn live_record(&self, id: &str) -> Option<LiveRecord> {
            let ended = self.ends_when_asked.lock().expect("no panic").take();
            if let (Some(ended), Some(store)) = (ended, &self.store) {
                store.save(ended).await.expect("it can be saved");
            }
            let playing = self.playing.as_ref().filter(|playing| playing.match_id == id)?;
            let line = MatchLine { seed: None, ..playing.record.clone() };
            Some(LiveRecord { line, ladder: playing.ladder })
        }
    }

    async fn store(matches: usize) -> Store {
        let store = Store::in_memory(&StoreLimits::default(), RatingRules::default());
        let store = store.expect("there is memory");
        for id in 1..=matches {
            store.save(finished(&format!("m{id}"), FIVE)).await.expect("it can be saved");
        }
        store
    }

    const LIMITS: ReadLimits = ReadLimits {
        page_size: 2,
        record_streams: 1,
        stream_batch: 2,
        stream_wait: Duration::from_secs(30),
    };

    fn api(store: &Store, tables: Tables, limits: ReadLimits) -> RecordApi {
        RecordApi::new(store.clone(), Arc::new(tables), limits, CancellationToken::new())
    }

    async fn get(api: &RecordApi, id: &str) -> Result<v1::Record, Status> {
        let request = Request::new(v1::GetRecordRequest { record_id: id.to_owned() });
        let answer = api.get_record(request).await?.into_inner();
        Ok(answer.record.expect("an answer has its record"))
    }

    type Stream = <RecordApi as RecordService>::StreamRecordsStream;

    async fn stream(api: &RecordApi, name: &str) -> Result<Stream, Status> {
        let request = Request::new(v1::StreamRecordsRequest { name: name.to_owned() });
        Ok(api.stream_records(request).await?.into_inner())
    }

    async fn next(stream: &mut Stream) -> Option<Result<v1::Record, Status>> {
        let next = timeout(Duration::from_secs(30), stream.next()).await.expect("it goes on");
        next.map(|next| next.map(|next| next.record.expect("a message has its record")))
    }

    async fn ids(mut stream: Stream) -> Vec<String> {
        let mut ids = Vec::new();
        while let Some(record) = next(&mut stream).await {
            ids.push(record.expect("nothing fails").record_id);
        }
        ids
    }

    #[tokio::test]
    async fn a_record_can_be_verified() {
        let store = store(1).await;
        let record = get(&api(&store, Tables::default(), LIMITS), "m1").await.expect("it is there");
        assert_eq!(record.names, ["ada", "ben", "cat", "dan", "eve"]);
        assert_eq!(record.totals_half_points, [80, 20, 0, -40, -60]);
        assert_eq!((&*record.profile, record.ladder), ("classic", true));
        assert!(record.ended_at.is_some());
        let verified = mighty_rules::verify_line(&record.line).expect("it can be read");
        assert!(verified.commitment_checked);
        // The totals were made up for the test; every hand is as it was played.
        let differing = verified.differences.iter().filter(|of| !of.place.starts_with("totals"));
        assert_eq!(differing.count(), 0, "{:?}", verified.differences);
    }

    #[tokio::test]
    async fn a_match_that_goes_on_has_a_record_without_its_seed() {
        let store = store(0).await;
        let tables = Tables { playing: Some(finished("m1", FIVE)), ..Tables::default() };
        let record = get(&api(&store, tables, LIMITS), "m1").await.expect("it goes on");
        assert_eq!((&*record.record_id, record.ended_at, record.ladder), ("m1", None, true));
        assert_eq!(record.names, ["ada", "ben", "cat", "dan", "eve"]);
        assert_eq!(record.totals_half_points, [80, 20, 0, -40, -60]);
        let line: MatchLine = serde_json::from_str(&record.line).expect("a match line");
        assert_eq!(line.seed, None);
    }

    #[tokio::test]
    async fn a_match_that_just_ended_is_found() {
        let store = store(0).await;
        let ends_when_asked = Mutex::new(Some(finished("m1", FIVE)));
        let tables = Tables { ends_when_asked, store: Some(store.clone()), ..Tables::default() };
        let record = get(&api(&store, tables, LIMITS), "m1").await.expect("it is in the store");
        assert!(record.ended_at.is_some());
    }

    #[tokio::test]
    async fn what_is_not_there_is_told() {
        let api = api(&store(1).await, Tables::default(), LIMITS);
        assert_eq!(get(&api, "m2").await.expect_err("unknown").code(), Code::NotFound);
        assert_eq!(get(&api, "").await.expect_err("no id").code(), Code::InvalidArgument);
    }

    #[tokio::test]
    async fn lists_have_no_lines() {
        let store = store(3).await;
        let friendly = FinishedMatch { ladder: false, ..finished("friendly", FIVE) };
        store.save(friendly).await.expect("it can be saved");
        let api = api(&store, Tables::default(), LIMITS);
        let mut told = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = v1::ListRecordsRequest { name: "ada".into(), page_size: 3, page_token };
            let page = api.list_records(Request::new(request)).await.expect("a page").into_inner();
            assert!(page.records.len() <= 2, "no more than the server's limit");
            assert!(page.records.iter().all(|record| record.line.is_empty()));
            told.extend(page.records.into_iter().map(|record| (record.record_id, record.ladder)));
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        let told: Vec<(&str, bool)> = told.iter().map(|(id, ladder)| (&**id, *ladder)).collect();
        assert_eq!(told, [("friendly", false), ("m3", true), ("m2", true), ("m1", true)]);

        let page_token = List::Matches.token("", 2);
        let request = v1::ListRecordsRequest { page_token, ..Default::default() };
        let refused = api.list_records(Request::new(request)).await.expect_err("another list's");
        assert_eq!(refused.code(), Code::InvalidArgument);
    }

    #[tokio::test]
    async fn a_stream_has_whole_records_oldest_first() {
        let store = store(5).await;
        let api = api(&store, Tables::default(), LIMITS);
        let mut all = stream(&api, "").await.expect("a stream");
        let first = next(&mut all).await.expect("a record").expect("nothing fails");
        assert_eq!(first.record_id, "m1");
        assert!(mighty_rules::verify_line(&first.line).is_ok());
        // One that ends while the stream runs is in it too.
        store.save(finished("m6", FIVE)).await.expect("it can be saved");
        assert_eq!(ids(all).await, ["m2", "m3", "m4", "m5", "m6"]);
    }

    #[tokio::test]
    async fn a_stream_keeps_to_a_name() {
        let store = store(1).await;
        let mut seats = FIVE;
        seats[0].0 = "zoe";
        store.save(finished("m2", seats)).await.expect("it can be saved");
        let limits = ReadLimits { record_streams: 2, ..LIMITS };
        let api = api(&store, Tables::default(), limits);
        assert_eq!(ids(stream(&api, "zoe").await.expect("a stream")).await, ["m2"]);
        assert!(ids(stream(&api, "nobody").await.expect("a stream")).await.is_empty());
    }

    #[tokio::test]
    async fn no_more_streams_run_than_may() {
        let api = api(&store(5).await, Tables::default(), LIMITS);
        let first = stream(&api, "").await.expect("a stream");
        let refused = stream(&api, "").await.err().expect("one runs already");
        assert_eq!(refused.code(), Code::ResourceExhausted);
        // Its end makes room.
        drop(first);
        let room = timeout(Duration::from_secs(30), api.streams.acquire()).await;
        drop(room.expect("the first has ended"));
        let again = stream(&api, "").await.expect("there is room again");
        assert_eq!(ids(again).await.len(), 5);
    }

    #[tokio::test]
    async fn a_reader_that_takes_nothing_is_told_so() {
        let limits = ReadLimits { stream_wait: Duration::from_millis(1), ..LIMITS };
        let api = api(&store(5).await, Tables::default(), limits);
        let mut unread = stream(&api, "").await.expect("a stream");
        let room = timeout(Duration::from_secs(30), api.streams.acquire()).await;
        drop(room.expect("the stream has given up"));
        let first = next(&mut unread).await.expect("what was sent before").expect("a record");
        assert_eq!(first.record_id, "m1");
        let told = next(&mut unread).await.expect("not a clean end").expect_err("a failure");
        assert_eq!(told.code(), Code::ResourceExhausted);
        assert!(next(&mut unread).await.is_none());
    }

    #[tokio::test]
    async fn a_server_that_stops_ends_its_streams() {
        let api = api(&store(5).await, Tables::default(), LIMITS);
        let mut cut = stream(&api, "").await.expect("a stream");
        next(&mut cut).await.expect("a record").expect("nothing fails");
        api.stopping.cancel();
        let told = loop {
            match next(&mut cut).await.expect("not a clean end") {
                Ok(_) => {}
                Err(status) => break status,
            }
        };
        assert_eq!(told.code(), Code::Unavailable);
    }
}
