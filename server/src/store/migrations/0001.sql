-- A match that was played to its end. Numbers are given in the order of saving and never again.
CREATE TABLE matches (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    profile TEXT NOT NULL,
    rules_hash TEXT,
    ended_at_ms INTEGER NOT NULL,
    ladder INTEGER NOT NULL CHECK (ladder IN (0, 1)),
    hands INTEGER NOT NULL CHECK (hands >= 0)
) STRICT;

CREATE INDEX ladder_matches ON matches (number) WHERE ladder;

-- How a seat did in a match; five rows each.
CREATE TABLE match_seats (
    match INTEGER NOT NULL REFERENCES matches (number),
    seat INTEGER NOT NULL CHECK (seat BETWEEN 0 AND 4),
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    house INTEGER NOT NULL CHECK (house IN (0, 1)),
    total_half_points INTEGER NOT NULL,
    place INTEGER NOT NULL CHECK (place BETWEEN 1 AND 5),
    defaults INTEGER NOT NULL CHECK (defaults >= 0),
    refusals INTEGER NOT NULL CHECK (refusals >= 0),
    given_up INTEGER NOT NULL CHECK (given_up IN (0, 1)),
    rated INTEGER NOT NULL CHECK (rated IN (0, 1)),
    PRIMARY KEY (match, seat)
) STRICT, WITHOUT ROWID;

CREATE INDEX matches_of_a_name ON match_seats (name, match);

-- The record of a match: one line of JSON. Apart from the matches, so that lists do not read past long lines.
CREATE TABLE records (
    match INTEGER PRIMARY KEY REFERENCES matches (number),
    line TEXT NOT NULL
) STRICT;

-- A version of a bot that has finished a match of the ladder: its rating, and what its matches add up to.
CREATE TABLE bots (
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    house INTEGER NOT NULL CHECK (house IN (0, 1)),
    mu REAL NOT NULL,
    sigma REAL NOT NULL CHECK (sigma > 0),
    matches INTEGER NOT NULL,
    counted INTEGER NOT NULL,
    hands INTEGER NOT NULL,
    half_points INTEGER NOT NULL,
    squared_half_points INTEGER NOT NULL,
    half_points_by_hands INTEGER NOT NULL,
    squared_hands INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    defaults INTEGER NOT NULL,
    refusals INTEGER NOT NULL,
    given_up INTEGER NOT NULL,
    PRIMARY KEY (name, version, house)
) STRICT, WITHOUT ROWID;
