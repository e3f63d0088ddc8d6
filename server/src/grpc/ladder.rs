//! `LadderService`: how bots stand, what they played, who waits.

use mighty_protocol::v1;
use mighty_protocol::v1::ladder_service_server::LadderService;
use tokio::sync::watch;
use tonic::{Request, Response, Status};

use super::stored::{List, ReadLimits, failed};
use crate::ladder::standings::Standing;
use crate::ladder::{LadderStatus, WaitingBot};
use crate::store::{SavedMatch, SavedSeat, Store};

/// The service over a store, and over what the ladder says of itself.
#[derive(Debug)]
pub struct LadderApi {
    store: Store,
    status: watch::Receiver<LadderStatus>,
    limits: ReadLimits,
}

impl LadderApi {
    /// The service; it tells the newest status that was sent.
    pub fn new(
        store: Store,
        status: watch::Receiver<LadderStatus>,
        limits: ReadLimits,
    ) -> LadderApi {
        LadderApi { store, status, limits }
    }
}

#[tonic::async_trait]
impl LadderService for LadderApi {
    async fn list_standings(
        &self,
        _request: Request<v1::ListStandingsRequest>,
    ) -> Result<Response<v1::ListStandingsResponse>, Status> {
        let standings = self.store.standings().await.map_err(failed)?;
        Ok(Response::new(v1::ListStandingsResponse {
            matches: standings.matches,
            standings: standings.standings.into_iter().map(wire_standing).collect(),
        }))
    }

    async fn list_matches(
        &self,
        request: Request<v1::ListMatchesRequest>,
    ) -> Result<Response<v1::ListMatchesResponse>, Status> {
        let v1::ListMatchesRequest { name, page_size, page_token } = request.into_inner();
        let query = List::Matches.query(&self.limits, name.clone(), page_size, &page_token)?;
        let page = self.store.matches(query).await.map_err(failed)?;
        let next = page.next_before.map(|before| List::Matches.token(&name, before));
        Ok(Response::new(v1::ListMatchesResponse {
            matches: page.matches.into_iter().map(wire_match).collect(),
            next_page_token: next.unwrap_or_default(),
        }))
    }

    async fn get_status(
        &self,
        _request: Request<v1::GetStatusRequest>,
    ) -> Result<Response<v1::GetStatusResponse>, Status> {
        let LadderStatus { enabled, profile, finished, waiting, tables } =
            self.status.borrow().clone();
        Ok(Response::new(v1::GetStatusResponse {
            enabled,
            profile,
            playing: tables.len() as u32,
            finished,
            waiting: waiting.into_iter().map(wire_waiting).collect(),
            table_ids: tables,
        }))
    }
}

fn wire_standing(standing: Standing) -> v1::Standing {
    let Standing { player, rating, tally } = standing;
    v1::Standing {
        name: player.name,
        version: player.version,
        house: player.house,
        matches: tally.matches,
        hands: tally.hands,
        points_per_100_hands: tally.points_per_100_hands(),
        points_interval: tally.points_interval(),
        rating: rating.mu,
        rating_uncertainty: rating.sigma,
        wins: tally.wins,
        defaults: tally.defaults,
        refusals: tally.refusals,
        given_up: tally.given_up,
    }
}

fn wire_match(saved: SavedMatch) -> v1::LadderMatch {
    v1::LadderMatch {
        record_id: saved.id,
        profile: saved.profile,
        ended_at: Some(saved.ended_at.into()),
        seats: saved.seats.0.into_iter().map(wire_seat).collect(),
        hands: saved.hands,
    }
}

fn wire_seat(SavedSeat { report, rated }: SavedSeat) -> v1::MatchSeat {
    v1::MatchSeat {
        name: report.player.name,
        version: report.player.version,
        house: report.player.house,
        total_half_points: report.total.in_halves(),
        place: report.place.into(),
        rated,
        defaults: report.defaults,
        refusals: report.refusals,
        given_up: report.given_up,
    }
}

fn wire_waiting(WaitingBot { name, since, reason }: WaitingBot) -> v1::WaitingBot {
    v1::WaitingBot { name, since: Some(since.into()), reason }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use tonic::Code;

    use super::*;
    use crate::ladder::rating::RatingRules;
    use crate::store::StoreLimits;
    use crate::store::tests::{FIVE, bot, finished};

    async fn api(matches: usize) -> (LadderApi, watch::Sender<LadderStatus>) {
        let store = Store::in_memory(&StoreLimits::default(), RatingRules::default());
        let store = store.expect("there is memory");
        for id in 1..=matches {
            store.save(finished(&format!("m{id}"), FIVE)).await.expect("it can be saved");
        }
        let (tell, status) = watch::channel(LadderStatus::default());
        let limits = ReadLimits { page_size: 2, ..ReadLimits::default() };
        (LadderApi::new(store, status, limits), tell)
    }

    async fn page(
        api: &LadderApi,
        name: &str,
        page_size: u32,
        page_token: &str,
    ) -> Result<(Vec<String>, String), Status> {
        let (name, page_token) = (name.to_owned(), page_token.to_owned());
        let request = v1::ListMatchesRequest { name, page_size, page_token };
        let answer = api.list_matches(Request::new(request)).await?.into_inner();
        let ids = answer.matches.into_iter().map(|of| of.record_id).collect();
        Ok((ids, answer.next_page_token))
    }

    #[tokio::test]
    async fn standings_say_what_they_rest_on() {
        let (api, _tell) = api(2).await;
        let answer = api.list_standings(Request::new(v1::ListStandingsRequest {})).await;
        let answer = answer.expect("they can be read").into_inner();
        assert_eq!(answer.matches, 2);
        let names: Vec<&str> = answer.standings.iter().map(|of| &*of.name).collect();
        assert_eq!(names, ["ada", "ben", "cat", "dan", "eve"]);
        let ada = &answer.standings[0];
        assert_eq!((ada.matches, ada.hands, ada.wins), (2, 20, 2));
        assert_eq!((ada.points_per_100_hands, ada.points_interval), (400.0, 0.0));
        assert!(ada.rating > 25.0 && ada.rating_uncertainty < 25.0 / 3.0);
    }

    #[tokio::test]
    async fn matches_come_in_pages() {
        let (api, _tell) = api(5).await;
        let (ids, next) = page(&api, "", 0, "").await.expect("the first page");
        assert_eq!(ids, ["m5", "m4"], "the server's limit");
        let (ids, next) = page(&api, "", 99, &next).await.expect("the second page");
        assert_eq!(ids, ["m3", "m2"], "no more than the server's limit");
        let (ids, next) = page(&api, "", 1, &next).await.expect("the third page");
        assert_eq!((ids, &*next), (vec!["m1".to_owned()], ""));

        let (ids, next) = page(&api, "eve", 1, "").await.expect("a bot's first page");
        assert_eq!(ids, ["m5"]);
        let (ids, _) = page(&api, "eve", 1, &next).await.expect("its second page");
        assert_eq!(ids, ["m4"]);
        let (ids, next) = page(&api, "nobody", 1, "").await.expect("an empty page");
        assert_eq!((ids.len(), &*next), (0, ""));
    }

    #[tokio::test]
    async fn page_tokens_of_other_lists_are_refused() {
        let (api, _tell) = api(3).await;
        let (_, next) = page(&api, "", 1, "").await.expect("a page");
        page(&api, "", 1, &next).await.expect("its next page");
        let (_, of_ada) = page(&api, "ada", 1, "").await.expect("a page");
        let records = List::Records.token("", 3);
        let longer = format!("{next}x");
        for token in [
            &*of_ada,
            &*records,
            &*longer,
            "x",
            "matches",
            "matches..",
            "matches.-1.",
            "matches.03.",
            "matches.99999999999999999999.",
            "matches.18446744073709551615.",
            "카드",
        ] {
            let refused = page(&api, "", 1, token).await.expect_err(token);
            assert_eq!(refused.code(), Code::InvalidArgument, "{token}");
            assert!(refused.message().contains("next_page_token"), "{}", refused.message());
        }
    }

    #[tokio::test]
    async fn a_seat_is_told_whether_it_was_rated() {
        let (api, _tell) = api(0).await;
        let mut left = finished("m1", FIVE);
        left.seats.0[4].given_up = true;
        left.seats.0[4].defaults = 3;
        left.seats.0[0].player.house = true;
        api.store.save(left.clone()).await.expect("it can be saved");
        let request = Request::new(v1::ListMatchesRequest::default());
        let answer = api.list_matches(request).await.expect("they can be read").into_inner();
        let of = &answer.matches[0];
        assert_eq!((&*of.record_id, &*of.profile, of.hands), ("m1", "classic", 10));
        assert_eq!(of.ended_at, Some(left.ended_at.into()));
        let rated: Vec<bool> = of.seats.iter().map(|seat| seat.rated).collect();
        assert_eq!(rated, [false, false, false, false, true]);
        let eve = &of.seats[4];
        assert_eq!((&*eve.name, eve.place, eve.total_half_points), ("eve", 5, -60));
        assert_eq!((eve.defaults, eve.given_up, eve.house), (3, true, false));
        assert!(of.seats[0].house);
    }

    #[tokio::test]
    async fn the_status_is_the_newest_that_was_told() {
        let (api, tell) = api(0).await;
        let status = async || {
            let answer = api.get_status(Request::new(v1::GetStatusRequest {})).await;
            answer.expect("it is always there").into_inner()
        };
        assert_eq!(status().await, v1::GetStatusResponse::default(), "no ladder");

        let since = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let reason = "It waits for 4 more bots.".to_owned();
        let waiting = vec![WaitingBot { name: bot("ada").name, since, reason }];
        let tables = vec!["t1".to_owned(), "t2".to_owned()];
        let profile = "korean".to_owned();
        tell.send_replace(LadderStatus { enabled: true, profile, finished: 7, waiting, tables });
        let told = status().await;
        assert!(told.enabled);
        assert_eq!((&*told.profile, told.playing, told.finished), ("korean", 2, 7));
        assert_eq!(told.table_ids, ["t1", "t2"]);
        assert_eq!((&*told.waiting[0].name, told.waiting[0].since), ("ada", Some(since.into())));
        assert_eq!(told.waiting[0].reason, "It waits for 4 more bots.");
    }
}
