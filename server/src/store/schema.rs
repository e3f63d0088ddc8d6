//! The file: how it is opened, and how older ones are brought up to date.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use super::{StoreError, StoreLimits};

/// The steps from one version of the schema to the next; a file knows how many it has taken.
const MIGRATIONS: [&str; 1] = [include_str!("migrations/0001.sql")];

/// Marks a file as ours: "mgty" in ASCII.
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"mgty");

pub(super) fn open_file(path: &Path, limits: &StoreLimits) -> Result<Connection, StoreError> {
    let shown = path.display().to_string();
    Connection::open(path)
        .map_err(StoreError::Sqlite)
        .and_then(|connection| prepare(connection, limits))
        .map_err(|why| StoreError::Open { path: shown, why: Box::new(why) })
}

pub(super) fn open_in_memory(limits: &StoreLimits) -> Result<Connection, StoreError> {
    prepare(Connection::open_in_memory()?, limits)
}

fn prepare(mut connection: Connection, limits: &StoreLimits) -> Result<Connection, StoreError> {
    connection.busy_timeout(limits.lock_wait)?;
    let is_ours = is_ours(&connection).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NotAStore,
        Some(_) | None => StoreError::Sqlite(error),
    })?;
    if !is_ours {
        return Err(StoreError::NotAStore);
    }
    migrate(&mut connection)?;
    // In WAL readers never wait for the writer, and FULL syncs each commit: a saved match survives a power cut.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

/// Whether it is a store, or an empty file that becomes one.
fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: u32 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(id == APPLICATION_ID || (id == 0 && tables == 0))
}

fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    // The version is read inside the transaction, so that two servers that start together migrate once.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: usize = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let Some(missing) = MIGRATIONS.get(found..) else {
        return Err(StoreError::Newer { found, known: MIGRATIONS.len() });
    };
    for step in missing {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", MIGRATIONS.len())?;
    transaction.commit()?;
    Ok(())
}
