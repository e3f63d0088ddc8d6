//! `mighty tables` and `mighty create-table`.

use std::collections::HashMap;
use std::io::Write;

use mighty_protocol::v1;
use mighty_protocol::v1::table::State;
use mighty_protocol::v1::table_service_client::TableServiceClient;
use mighty_rules::{Profile, Rules, Score};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::profiles::{Override, read_override};
use crate::room::Room;
use crate::server::{Remote, expected, question};
use crate::text::{Listed, listing, printable, read_count};

/// Which tables to list.
#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// How many at most.
    #[arg(long, default_value_t = 20, value_parser = read_count)]
    limit: u32,
    #[command(flatten)]
    remote: Remote,
}

/// What table to make.
#[derive(clap::Args)]
pub(crate) struct CreateArgs {
    /// The profile: classic, hunter, ripper or korean.
    #[arg(long)]
    profile: String,
    /// Set an option otherwise, such as auction.minimum=14 (may be repeated).
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = read_override)]
    overrides: Vec<Override>,
    /// Who sits at a seat, such as 1=house:cautious or 2=open; seats are open unless said otherwise (may be repeated).
    #[arg(long = "seat", value_name = "N=WHO", value_parser = read_seat)]
    seats: Vec<SeatChoice>,
    #[command(flatten)]
    remote: Remote,
}

#[derive(Clone, Debug)]
struct SeatChoice {
    seat: usize,
    who: v1::seat_plan::Who,
}

fn read_seat(text: &str) -> Result<SeatChoice, String> {
    let wrong =
        || "write a seat from 0 to 4 and who sits there, such as 1=house:cautious or 2=open";
    let (seat, who) = text.split_once('=').ok_or_else(wrong)?;
    let seat = seat.parse().ok().filter(|seat| *seat < 5).ok_or_else(wrong)?;
    let who = match (who, who.strip_prefix("house:")) {
        ("open", _) => v1::seat_plan::Who::Open(v1::seat_plan::Open {}),
        (_, Some(bot)) if !bot.is_empty() => v1::seat_plan::Who::House(bot.to_owned()),
        (_, _) => return Err(wrong().to_owned()),
    };
    Ok(SeatChoice { seat, who })
}

/// Lists the tables, newest first.
pub(crate) async fn list(args: &ListArgs, out: &mut impl Write) -> Result<(), Failure> {
    let mut service = TableServiceClient::new(args.remote.connect().await?);
    let request = v1::ListTablesRequest { page_size: args.limit, page_token: String::new() };
    let answer = service.list_tables(question(request)).await;
    let answer = answer.map_err(|status| args.remote.failure(&status))?.into_inner();
    if args.remote.json {
        let tables: Vec<Value> = answer.tables.iter().map(table_json).collect();
        writeln!(out, "{}", Value::from(tables))?;
        return Ok(());
    }
    if answer.tables.is_empty() {
        writeln!(
            out,
            "There are no tables. `mighty create-table --profile korean` makes one, `make ladder` starts a ladder."
        )?;
        return Ok(());
    }
    let listed: Vec<Listed<5>> = answer
        .tables
        .iter()
        .map(|table| {
            let cells = [
                printable(&table.table_id),
                state_name(table).to_owned(),
                profile_of(table),
                format!("{}/{}", table.hand, table.hands),
                table.followers.to_string(),
            ];
            Listed { cells, seats: names_of(table) }
        })
        .collect();
    let head = ["table", "state", "profile", "hand", "followers"];
    for line in listing(head, &listed, Room::of_output().columns) {
        writeln!(out, "{line}")?;
    }
    if !answer.next_page_token.is_empty() {
        writeln!(out, "There are more; ask for them with --limit.")?;
    }
    Ok(())
}

/// Makes a table.
pub(crate) async fn create(args: &CreateArgs, out: &mut impl Write) -> Result<(), Failure> {
    // What is wrong with the rules is found here; the server need not be asked.
    let set = args.overrides.iter().map(|set| (set.path.as_str(), set.value.as_str()));
    let rules = Profile::named(&args.profile)
        .and_then(|profile| Rules::with_texts(profile, set))
        .map_err(|error| Failure::Unusable(error.to_string()))?;
    let overrides: HashMap<String, String> =
        rules.overrides().iter().map(|(path, value)| (path.clone(), value.to_string())).collect();
    let mut seats = vec![v1::SeatPlan { who: None }; 5];
    for SeatChoice { seat, who } in &args.seats {
        if seats[*seat].who.replace(who.clone()).is_some() {
            return Err(Failure::Unusable(format!("seat {seat} is given twice")));
        }
    }
    for seat in &mut seats {
        seat.who.get_or_insert(v1::seat_plan::Who::Open(v1::seat_plan::Open {}));
    }
    let request =
        v1::CreateTableRequest { profile: args.profile.clone(), overrides, seats, clock: None };
    let mut service = TableServiceClient::new(args.remote.connect().await?);
    let answer = service.create_table(question(request)).await;
    let answer = answer.map_err(|status| args.remote.failure(&status))?.into_inner();
    let table = expected(answer.table, "table")?;
    if args.remote.json {
        writeln!(out, "{}", table_json(&table))?;
        return Ok(());
    }
    let id = printable(&table.table_id);
    writeln!(out, "Table {id} is {}: {}", state_name(&table), names_of(&table).join(" "))?;
    if table.seats.iter().any(|seat| seat.name.is_empty()) {
        writeln!(out, "`mighty-bot --name NAME --table {id}` takes an open seat.")?;
    }
    writeln!(out, "`mighty watch {id}` follows it.")?;
    Ok(())
}

fn table_json(table: &v1::Table) -> Value {
    let seat = |seat: &v1::SeatInfo| {
        json!({
            "name": seat.name,
            "house": seat.house,
            "present": seat.present,
            "given_up": seat.given_up,
        })
    };
    let totals = table.totals_half_points.iter().map(|halves| Score::halves(*halves));
    json!({
        "table": table.table_id,
        "state": state_name(table),
        "profile": profile_of(table),
        "rules_hash": table.rules.as_ref().map(|rules| &rules.hash),
        "seats": table.seats.iter().map(seat).collect::<Vec<_>>(),
        "hand": table.hand,
        "hands": table.hands,
        "totals": totals.collect::<Vec<_>>(),
        "followers": table.followers,
        "ladder": table.ladder,
        "created_at": table.created_at.as_ref().map(ToString::to_string),
        "record": table.record_id,
    })
}

fn state_name(table: &v1::Table) -> &'static str {
    match table.state() {
        State::Unspecified => "unknown",
        State::Waiting => "waiting",
        State::Playing => "playing",
        State::Over => "over",
        State::BrokenOff => "broken off",
    }
}

fn profile_of(table: &v1::Table) -> String {
    table.rules.as_ref().map(|rules| printable(&rules.profile)).unwrap_or_default()
}

/// The names at the seats, `(open)` where nobody sits.
fn names_of(table: &v1::Table) -> Vec<String> {
    let name = |seat: &v1::SeatInfo| match seat.name.as_str() {
        "" => "(open)".to_owned(),
        name => printable(name),
    };
    table.seats.iter().map(name).collect()
}
