-- Who has ever been at the till: the customers at Stripe (src/features/billing/). `subscriptions` has what follows from it.
CREATE TABLE customers (
  owner INTEGER NOT NULL PRIMARY KEY REFERENCES users (number),
  customer_id TEXT NOT NULL,
  -- The plan without a subscription.
  plan_otherwise TEXT NOT NULL CHECK (plan_otherwise IN ('free', 'pro', 'team', 'self_hosted')),
  -- The subscription that decides the plan, and the day on which it ends if it was cancelled.
  subscription_id TEXT,
  ends_at TEXT,
  past_due_since TEXT,
  had_trial INTEGER NOT NULL DEFAULT 0,
  -- The last mail about the subscription, so that it is sent once.
  mailed TEXT,
  -- How often Stripe was asked: what was asked for first is not written over what was asked for later.
  syncs INTEGER NOT NULL DEFAULT 0,
  -- When Stripe is asked next; NULL: not before it says that something has changed.
  sync_at TEXT
);
CREATE UNIQUE INDEX customers_customer_id_idx ON customers (customer_id);
CREATE INDEX customers_sync_at_idx ON customers (sync_at) WHERE sync_at IS NOT NULL;

CREATE TRIGGER customers_fenced_insert AFTER INSERT ON customers
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER customers_fenced_update AFTER UPDATE ON customers
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER customers_fenced_delete AFTER DELETE ON customers
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = old.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
