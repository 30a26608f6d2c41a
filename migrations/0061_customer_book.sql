-- Used in the first home only: what Stripe's messages, which know no home, lead to.

-- Whose customer it is. The address book says in which home that account is.
CREATE TABLE customer_book (
  customer_id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL
);
CREATE UNIQUE INDEX customer_book_user_id_idx ON customer_book (user_id);

-- The events that have been dealt with. Stripe repeats one that was not answered.
CREATE TABLE stripe_events (
  id TEXT NOT NULL PRIMARY KEY,
  at TEXT NOT NULL
);
CREATE INDEX stripe_events_at_idx ON stripe_events (at);
