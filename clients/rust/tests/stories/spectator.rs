//! A spectator against a server that plays a script.

use crate::script::{Script, Table, options, soon};
use mighty_client::{News, Place, Profile, Spectator, Stopped, Told, Viewer};
use mighty_protocol::v1;
use tonic::Status;

#[tokio::test]
async fn a_spectator_follows_a_table_through_a_lost_connection_to_the_end() {
    let mut script = Script::start().await;
    let limits = options(Place::table("t1")).reconnecting;
    let mut spectator = Spectator::new(&script.server, "t1", "secret", limits);
    let mut table = Table::new("m1", Profile::Ripper, Viewer::Spectator);

    let served = tokio::spawn(async move {
        let following = script.followed().await;
        let expected = v1::Spectator { table_id: "t1".to_owned(), token: "secret".to_owned() };
        let viewer = v1::follow_request::Viewer::Spectator(expected);
        assert_eq!(following.request.viewer, Some(viewer));
        following.say(table.start()).await;
        following.say(table.snapshot(0)).await;
        (0..3).for_each(|_| table.play_default());
        following.say(table.events()).await;
        following.fail(Status::unavailable("the server is stopping")).await;

        (0..3).for_each(|_| table.play_default());
        let following = script.followed().await;
        following.say(table.start()).await;
        following.say(table.snapshot(2)).await;
        while table.hand.turn().is_some() {
            table.play_default();
        }
        following.say(table.over(false)).await;
        table
    });

    let mut heard = Vec::new();
    let ended = loop {
        match soon("news", spectator.next()).await {
            Ok(news) => heard.push(news),
            Err(stopped) => break stopped,
        }
    };
    let table = soon("the end of the script", served).await.expect("the script does not panic");
    assert_eq!(ended, Stopped::Finished { matches: 1 });
    assert_eq!(spectator.view(), Some(&table.hand.view(Viewer::Spectator)));
    let dealing = spectator.dealing().expect("a hand was dealt");
    assert_eq!((dealing.hand, dealing.setup), (1, table.hand.public().setup));
    assert!(matches!(heard.first(), Some(News::MatchStarted(_))));
    let missed = |news: &&News| matches!(news, News::CaughtUp { missed: 2 });
    assert_eq!(heard.iter().filter(missed).count(), 1);
    let lost = |news: &&News| matches!(news, News::Reconnecting { .. });
    assert_eq!(heard.iter().filter(lost).count(), 1);
    let in_hand = |news: &&News| matches!(news, News::Told(Told::InHand(_)));
    assert!(heard.iter().filter(in_hand).count() > 3);
}

#[tokio::test]
async fn a_table_that_is_not_there_is_no_reason_to_try_again() {
    let mut script = Script::start().await;
    let limits = options(Place::table("t9")).reconnecting;
    let mut spectator = Spectator::new(&script.server, "t9", "", limits);
    let served = async {
        script.followed().await.fail(Status::not_found("there is no table t9")).await;
    };
    let (stopped, ()) = tokio::join!(spectator.next(), served);
    let stopped = stopped.expect_err("there is nothing to follow");
    assert_eq!(stopped.to_string(), "the server refused (NotFound): there is no table t9");
}
