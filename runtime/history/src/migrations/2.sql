-- What runs of workflows wait for. Written with the record that decided it, so neither is without the other.

CREATE TABLE timer (
  owner  INTEGER NOT NULL REFERENCES owner (id),
  run_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  due    INTEGER NOT NULL,
  -- 1 for a run that goes on by itself and only needs it when its program ended meanwhile.
  pause  INTEGER NOT NULL,
  PRIMARY KEY (owner, run_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX timer_due ON timer (due) WHERE pause = 0;
CREATE INDEX timer_pause ON timer (due) WHERE pause = 1;

CREATE TABLE call (
  owner  INTEGER NOT NULL REFERENCES owner (id),
  run_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  child  TEXT NOT NULL,
  -- The run at the top of the tree, whose open calls are counted.
  top    TEXT NOT NULL,
  PRIMARY KEY (owner, run_id, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX call_child ON call (owner, child);
CREATE INDEX call_top ON call (owner, top);

-- Runs that are to be cancelled and have not ended yet.
CREATE TABLE cancel (
  owner  INTEGER NOT NULL REFERENCES owner (id),
  run_id TEXT NOT NULL,
  PRIMARY KEY (owner, run_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE listener (
  owner     INTEGER NOT NULL REFERENCES owner (id),
  run_id    TEXT NOT NULL,
  number    INTEGER NOT NULL,
  filter    INTEGER NOT NULL,
  type      TEXT NOT NULL,
  workflow  TEXT NOT NULL,
  version   INTEGER NOT NULL,
  reference TEXT NOT NULL,
  -- The newest position of the log when it began to listen: it hears what comes after.
  since     INTEGER NOT NULL,
  PRIMARY KEY (owner, run_id, number, filter)
) STRICT, WITHOUT ROWID;

CREATE INDEX listener_type ON listener (owner, type);

-- How far in the log a playbook's events were matched, and what its triggers wait for, as JSON.
CREATE TABLE reaction (
  owner      INTEGER PRIMARY KEY REFERENCES owner (id),
  checkpoint INTEGER NOT NULL,
  state      TEXT NOT NULL
) STRICT;
