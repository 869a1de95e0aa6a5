-- Who a stream belongs to: a playbook by its key, or an org. Always matched whole.
CREATE TABLE owner (
  id  INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE stream (
  id    INTEGER PRIMARY KEY,
  name  TEXT NOT NULL UNIQUE,
  owner INTEGER NOT NULL REFERENCES owner (id)
) STRICT;

-- Large data, once for all records of an owner that hold the same.
CREATE TABLE content (
  id     INTEGER PRIMARY KEY,
  owner  INTEGER NOT NULL REFERENCES owner (id),
  sha256 BLOB NOT NULL,
  bytes  INTEGER NOT NULL,
  UNIQUE (owner, sha256)
) STRICT;

CREATE TABLE chunk (
  id      INTEGER PRIMARY KEY,
  content INTEGER NOT NULL REFERENCES content (id),
  number  INTEGER NOT NULL,
  text    TEXT NOT NULL,
  UNIQUE (content, number)
) STRICT;

-- `global` is the row's own number, so every index below ends in it and reads in the log's order.
CREATE TABLE record (
  global         INTEGER PRIMARY KEY,
  owner          INTEGER NOT NULL REFERENCES owner (id),
  stream         INTEGER NOT NULL REFERENCES stream (id),
  position       INTEGER NOT NULL,
  id             BLOB NOT NULL,
  recorded_at    INTEGER NOT NULL,
  -- The latest `recorded_at` of the owner so far: it never goes back, even where the clock did.
  latest_at      INTEGER NOT NULL,
  kind           TEXT NOT NULL,
  event_type     TEXT,
  run_id         TEXT,
  correlation_id TEXT,
  data           TEXT,
  content        INTEGER REFERENCES content (id),
  data_bytes     INTEGER NOT NULL,
  context        TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX record_position ON record (stream, position);
CREATE UNIQUE INDEX record_id ON record (id);
CREATE INDEX record_owner ON record (owner);
CREATE INDEX record_latest ON record (owner, latest_at);
CREATE INDEX record_kind ON record (owner, kind);
CREATE INDEX record_event_type ON record (owner, event_type) WHERE event_type IS NOT NULL;
CREATE INDEX record_run ON record (owner, run_id) WHERE run_id IS NOT NULL;
CREATE INDEX record_correlation ON record (owner, correlation_id) WHERE correlation_id IS NOT NULL;

-- One view a recall function keeps. The text is last, so that the rest is read without it.
CREATE TABLE view (
  id              INTEGER PRIMARY KEY,
  owner           INTEGER NOT NULL REFERENCES owner (id),
  name            TEXT NOT NULL,
  version         INTEGER NOT NULL,
  saved_position  INTEGER NOT NULL,
  phase           TEXT NOT NULL,
  checkpoint      INTEGER NOT NULL,
  checkpoint_at   INTEGER,
  last_event_id   TEXT,
  last_event_time TEXT,
  folded          INTEGER NOT NULL,
  tries           INTEGER NOT NULL,
  stalled         TEXT,
  view_bytes      INTEGER NOT NULL,
  view            TEXT NOT NULL,
  UNIQUE (owner, name)
) STRICT;
