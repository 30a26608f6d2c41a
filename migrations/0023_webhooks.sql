-- Webhooks, push to the installed app, and the day by mail.

-- Everything in the activity up to `cursor` has its deliveries, and so has every due date up to `due_day`. That is what
-- makes sure that no event is lost when the Worker dies right after a change.
CREATE TABLE webhooks (
  id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  include_content INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'switched_off')),
  notice TEXT,
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_until TEXT,
  cursor INTEGER NOT NULL,
  due_day TEXT NOT NULL,
  due_at TEXT,
  failures INTEGER NOT NULL,
  resume_at TEXT,
  last_delivered_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX webhooks_owner_idx ON webhooks (owner, id);

CREATE TABLE webhook_deliveries (
  id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  data TEXT NOT NULL,
  occurred_at TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL,
  next_attempt_at TEXT,
  last_attempt_at TEXT,
  response_status INTEGER,
  error TEXT,
  created_at TEXT NOT NULL
);
CREATE INDEX webhook_deliveries_webhook_id_idx ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_owner_idx ON webhook_deliveries (owner);
CREATE INDEX webhook_deliveries_pending_idx ON webhook_deliveries (webhook_id, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_done_idx ON webhook_deliveries (created_at) WHERE status <> 'pending';

-- Every request of an account looks here: one without active webhooks has no entry, and so no row is read.
CREATE INDEX webhooks_active_idx ON webhooks (owner) WHERE status = 'active';

-- A browser in which the app shows what is due today. It ends with its session.
CREATE TABLE push_subscriptions (
  id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
  session_id TEXT NOT NULL,
  endpoint TEXT NOT NULL UNIQUE,
  p256dh TEXT NOT NULL,
  auth TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX push_subscriptions_owner_idx ON push_subscriptions (owner);

-- The key with which the service identifies itself to push services (RFC 8292), generated on first use.
CREATE TABLE push_keys (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  public_key TEXT NOT NULL,
  private_key TEXT NOT NULL,
  created_at TEXT NOT NULL
);

-- At which local hour a person wants the day by mail and by push, and when each is next due: null for never.
CREATE TABLE reminders (
  owner INTEGER NOT NULL PRIMARY KEY REFERENCES users (number),
  mail_hour INTEGER CHECK (mail_hour BETWEEN 0 AND 23),
  push_hour INTEGER NOT NULL CHECK (push_hour BETWEEN 0 AND 23),
  mail_at TEXT,
  push_at TEXT
);
CREATE INDEX reminders_mail_at_idx ON reminders (mail_at) WHERE mail_at IS NOT NULL;
CREATE INDEX reminders_push_at_idx ON reminders (push_at) WHERE push_at IS NOT NULL;
