//! A whole bot: it passes when it may, and otherwise makes the first move that is offered.

use mighty_client::*;

struct Modest;

impl Player for Modest {
    fn act(&mut self, _view: &View, choices: &Choices) -> Move {
        if choices.contains(&Move::Pass) { Move::Pass } else { choices.moves()[0] }
    }
}

#[tokio::main]
async fn main() -> Result<(), BadAddress> {
    let server = Server::at("http://127.0.0.1:7435")?;
    let options = Options::new("modest", Place::ladder(1));
    let session = Session::new(&server, options).on_news(|news| println!("{news}"));
    println!("{}", session.play(Modest).await);
    Ok(())
}
