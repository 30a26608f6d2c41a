import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

// Every table, as drizzle sees it. Indexes and constraints are defined only in migrations/;
// test/architecture.test.ts compares the columns with the migrated database.

export const users = sqliteTable("users", {
  number: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  email: text().notNull(),
  password_hash: text().notNull(),
  name: text(),
  role: text({ enum: ["admin", "member"] }).notNull(),
  timezone: text().notNull(),
  stale_after_days: text({ mode: "json" }).$type<{ commitment: number; blocker: number }>().notNull(),
  created_at: text().notNull(),
  deleted_at: text(),
  sign_in_epoch: integer().notNull().default(0),
  last_memory_id: integer().notNull().default(0),
  email_verified_at: text(),
  closed_at: text(),
});

export const registration_links = sqliteTable("registration_links", {
  hash: text().notNull().primaryKey(),
  role: text({ enum: ["admin", "member"] }).notNull(),
  email: text(),
  created_at: text().notNull(),
  expires_at: text().notNull(),
});

export const address_book = sqliteTable("address_book", {
  email: text().notNull().primaryKey(),
  home: integer().notNull(),
  state: text({ enum: ["claimed", "settled", "former"] }).notNull(),
  at: text().notNull(),
  user_id: text(),
  link: text(),
});

export const homes = sqliteTable("homes", {
  number: integer().primaryKey(),
  users: integer().notNull(),
  bytes: integer().notNull(),
  checked_at: text().notNull(),
});

export const moves = sqliteTable("moves", {
  owner: integer().notNull().primaryKey(),
  user_id: text().notNull(),
  state: text({ enum: ["leaving", "arriving", "arrived", "left", "dropped"] }).notNull(),
  home: integer().notNull(),
  number: integer(),
  progress: text(),
  is_fenced: integer().notNull(),
  at: text().notNull(),
});

export const moved_secrets = sqliteTable("moved_secrets", {
  hash: text().notNull().primaryKey(),
  owner: integer().notNull(),
  expires_at: text(),
});

export const home_sizes = sqliteTable(
  "home_sizes",
  { number: integer().notNull(), day: text().notNull(), bytes: integer().notNull() },
  (table) => [primaryKey({ columns: [table.number, table.day] })],
);

export const settings = sqliteTable("settings", {
  name: text().notNull().primaryKey(),
  value: text().notNull(),
});

export const subscriptions = sqliteTable("subscriptions", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  plan_tier: text({ enum: ["free", "pro", "team", "self_hosted"] }).notNull(),
  status: text({
    enum: [
      "incomplete",
      "incomplete_expired",
      "trialing",
      "active",
      "past_due",
      "canceled",
      "unpaid",
      "paused",
    ],
  }).notNull(),
  created_at: text().notNull(),
  billing_interval: text({ enum: ["month", "year"] }),
  trial_ends_at: text(),
  current_period_end: text(),
  canceled_at: text(),
});

export const sessions = sqliteTable("sessions", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  user_agent: text(),
  created_at: text().notNull(),
  last_used_at: text().notNull(),
  expires_at: text().notNull(),
  revoked_at: text(),
  cookie_hash: text(),
  client_name: text(),
});

export const refresh_tokens = sqliteTable("refresh_tokens", {
  hash: text().notNull().primaryKey(),
  session_id: text().notNull(),
  expires_at: text().notNull(),
  rotated_at: text(),
});

export const folders = sqliteTable("folders", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  name: text().notNull(),
  parent_id: text(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
  activity: integer(),
});

export const documents = sqliteTable("documents", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  title: text().notNull(),
  content: text({ mode: "json" }).$type<Record<string, unknown>>(),
  tags: text({ mode: "json" }).$type<string[]>().notNull(),
  folder_id: text(),
  source_type: text({ enum: ["api", "mcp", "web", "import", "cli"] }).notNull(),
  version: integer().notNull(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
  writer_source_type: text({ enum: ["api", "mcp", "web", "import", "cli"] }),
  writer_client_name: text(),
  trashed_at: text(),
  activity: integer(),
});

export const document_versions = sqliteTable(
  "document_versions",
  {
    document_id: text().notNull(),
    version: integer().notNull(),
    owner: integer().notNull(),
    title: text().notNull(),
    content: text({ mode: "json" }).$type<Record<string, unknown>>(),
    tags: text({ mode: "json" }).$type<string[]>().notNull(),
    folder_id: text(),
    source_type: text({ enum: ["api", "mcp", "web", "import", "cli"] }).notNull(),
    client_name: text(),
    created_at: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.document_id, table.version] })],
);

export const document_tags = sqliteTable(
  "document_tags",
  {
    owner: integer().notNull(),
    tag: text().notNull(),
    document_id: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.tag, table.document_id] })],
);

// folder_totals and tag_totals are maintained by triggers.
export const folder_totals = sqliteTable("folder_totals", {
  folder_id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  documents: integer().notNull(),
});

export const tag_totals = sqliteTable(
  "tag_totals",
  {
    owner: integer().notNull(),
    tag: text().notNull(),
    documents: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.tag] })],
);

// Maintained by triggers.
export const usage = sqliteTable("usage", {
  owner: integer().notNull().primaryKey(),
  documents: integer().notNull(),
  records: integer().notNull(),
  bytes: integer().notNull(),
});

export const idempotency_keys = sqliteTable(
  "idempotency_keys",
  {
    owner: integer().notNull(),
    route: text().notNull(),
    key: text().notNull(),
    request_hash: text().notNull(),
    answer: text().notNull(),
    created_at: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.route, table.key] })],
);

export const imports = sqliteTable("imports", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  mode: text({ enum: ["skip", "overwrite", "copy"] }).notNull(),
  dry_run: integer({ mode: "boolean" }).notNull(),
  status: text({ enum: ["uploading", "applying", "done"] }).notNull(),
  received: integer().notNull(),
  pieces: integer().notNull(),
  piece: integer().notNull(),
  line: integer().notNull(),
  state: text().notNull(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
});

export const import_pieces = sqliteTable(
  "import_pieces",
  {
    import_id: text().notNull(),
    number: integer().notNull(),
    owner: integer().notNull(),
    text: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.import_id, table.number] })],
);

// search_totals and the full-text index are maintained by triggers and read only in SQL: see src/text-index/store.ts.
export const search_entries = sqliteTable("search_entries", {
  entry: integer().primaryKey(),
  owner: integer().notNull(),
  kind: text({ enum: ["document", "memory"] }).notNull(),
  record: text().notNull(),
  length: integer().notNull(),
  index_version: integer().notNull(),
  tokens: integer().notNull().default(0),
});

export const search_totals = sqliteTable(
  "search_totals",
  {
    owner: integer().notNull(),
    kind: text({ enum: ["document", "memory"] }).notNull(),
    entries: integer().notNull(),
    length: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.kind] })],
);

export const memories = sqliteTable(
  "memories",
  {
    owner: integer().notNull(),
    id: integer().notNull(),
    memory_type: text({
      enum: ["commitment", "decision", "blocker", "pattern", "preference", "context"],
    }).notNull(),
    topic: text().notNull(),
    content: text().notNull(),
    status: text({ enum: ["active", "deferred", "resolved", "archived"] }).notNull(),
    scope: text({ enum: ["personal", "work"] }),
    project: text(),
    tags: text({ mode: "json" }).$type<string[]>().notNull(),
    due_date: text(),
    deferred_until: text(),
    document_id: text(),
    supersedes_id: integer(),
    superseded_by_id: integer(),
    resolved_at: text(),
    resolution_note: text(),
    last_confirmed_at: text(),
    source_type: text({ enum: ["api", "mcp", "web", "import", "cli"] }).notNull(),
    client_name: text(),
    version: integer().notNull(),
    created_at: text().notNull(),
    updated_at: text().notNull(),
    closed_at: text(),
    touched_at: text().notNull(),
    trashed_at: text(),
    note: text(),
    activity: integer(),
    renewed_at: text(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.id] })],
);

export const memory_events = sqliteTable(
  "memory_events",
  {
    owner: integer().notNull(),
    memory_id: integer().notNull(),
    id: integer().notNull(),
    event: text({
      enum: [
        "created",
        "updated",
        "resolved",
        "deferred",
        "archived",
        "reopened",
        "confirmed",
        "superseded",
        "woke",
      ],
    }).notNull(),
    from_status: text({ enum: ["active", "deferred", "resolved", "archived"] }),
    to_status: text({ enum: ["active", "deferred", "resolved", "archived"] }).notNull(),
    note: text(),
    source_type: text({ enum: ["api", "mcp", "web", "import", "cli"] }),
    client_name: text(),
    at: text().notNull(),
    state: text({ mode: "json" }).$type<Record<string, unknown>>(),
    activity: integer(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.memory_id, table.id] })],
);

export const activity = sqliteTable(
  "activity",
  {
    owner: integer().notNull(),
    number: integer().notNull(),
    at: text().notNull(),
    actor: text({ enum: ["person", "api_key", "assistant", "import", "service"] }).notNull(),
    actor_id: text(),
    client_name: text(),
    source_type: text({ enum: ["api", "mcp", "web", "import", "cli"] }),
    verb: text({
      enum: [
        "created",
        "changed",
        "moved",
        "deleted",
        "restored",
        "resolved",
        "deferred",
        "archived",
        "reopened",
        "confirmed",
        "superseded",
        "woke",
        "erased",
        "linked",
      ],
    }).notNull(),
    kind: text({ enum: ["document", "memory", "folder"] }).notNull(),
    record: text().notNull(),
    version_before: integer(),
    version_after: integer(),
    title: text(),
    state: text({ mode: "json" }).$type<Record<string, unknown>>(),
    has_event: integer({ mode: "boolean" }).notNull(),
    undoes: integer(),
    undone_by: integer(),
    previous: integer(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.number] })],
);

// memory_tags and memory_totals are maintained by triggers.
export const memory_tags = sqliteTable(
  "memory_tags",
  {
    owner: integer().notNull(),
    tag: text().notNull(),
    memory_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.tag, table.memory_id] })],
);

export const memory_totals = sqliteTable(
  "memory_totals",
  {
    owner: integer().notNull(),
    project: text().notNull(),
    scope: text().notNull(),
    memory_type: text().notNull(),
    active: integer().notNull(),
    deferred: integer().notNull(),
    resolved: integer().notNull(),
    archived: integer().notNull(),
    resolved_seconds: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.project, table.scope, table.memory_type] })],
);

export const calendar_tokens = sqliteTable("calendar_tokens", {
  owner: integer().notNull().primaryKey(),
  hash: text().notNull(),
  created_at: text().notNull(),
});

export const sign_in_addresses = sqliteTable(
  "sign_in_addresses",
  {
    owner: integer().notNull(),
    address: text().notNull(),
    last_used_at: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.address] })],
);

export const api_keys = sqliteTable("api_keys", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  name: text().notNull(),
  hint: text().notNull(),
  hash: text().notNull(),
  scopes: text({ mode: "json" })
    .$type<("docs:read" | "docs:write" | "memory:read" | "memory:write")[]>()
    .notNull(),
  created_at: text().notNull(),
  expires_at: text(),
  last_used_at: text(),
});

export const connection_uses = sqliteTable(
  "connection_uses",
  {
    owner: integer().notNull(),
    grant_id: text().notNull(),
    last_used_at: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.grant_id] })],
);

export const email_links = sqliteTable("email_links", {
  hash: text().notNull().primaryKey(),
  owner: integer().notNull(),
  purpose: text({ enum: ["reset", "verify", "change", "undo"] }).notNull(),
  email: text().notNull(),
  created_at: text().notNull(),
  expires_at: text().notNull(),
});

export const security_events = sqliteTable("security_events", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  event: text().notNull(),
  detail: text(),
  client_name: text(),
  created_at: text().notNull(),
});

export const second_factors = sqliteTable("second_factors", {
  owner: integer().notNull().primaryKey(),
  secret: text().notNull(),
  created_at: text().notNull(),
  confirmed_at: text(),
  last_step: integer().notNull().default(0),
});

export const recovery_codes = sqliteTable(
  "recovery_codes",
  {
    owner: integer().notNull(),
    hash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.hash] })],
);

export const passkeys = sqliteTable("passkeys", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  name: text().notNull(),
  credential_id: text().notNull(),
  public_key: text().notNull(),
  counter: integer().notNull(),
  transports: text({ mode: "json" }).$type<string[]>().notNull(),
  created_at: text().notNull(),
  last_used_at: text(),
});

export const passkey_challenges = sqliteTable("passkey_challenges", {
  hash: text().notNull().primaryKey(),
  owner: integer(),
  expires_at: text().notNull(),
});

export const webhooks = sqliteTable("webhooks", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  name: text().notNull(),
  url: text().notNull(),
  events: text({ mode: "json" }).$type<string[]>().notNull(),
  include_content: integer({ mode: "boolean" }).notNull(),
  status: text({ enum: ["active", "paused", "switched_off"] }).notNull(),
  notice: text(),
  secret: text().notNull(),
  previous_secret: text(),
  previous_until: text(),
  cursor: integer().notNull(),
  due_day: text().notNull(),
  due_at: text(),
  failures: integer().notNull(),
  resume_at: text(),
  last_delivered_at: text(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
});

export const webhook_deliveries = sqliteTable("webhook_deliveries", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  webhook_id: text().notNull(),
  event: text().notNull(),
  data: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
  occurred_at: text().notNull(),
  status: text({ enum: ["pending", "delivered", "failed"] }).notNull(),
  attempts: integer().notNull(),
  next_attempt_at: text(),
  last_attempt_at: text(),
  response_status: integer(),
  error: text(),
  created_at: text().notNull(),
});

export const push_subscriptions = sqliteTable("push_subscriptions", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  session_id: text().notNull(),
  endpoint: text().notNull(),
  p256dh: text().notNull(),
  auth: text().notNull(),
  created_at: text().notNull(),
});

export const push_keys = sqliteTable("push_keys", {
  id: integer().notNull().primaryKey(),
  public_key: text().notNull(),
  private_key: text().notNull(),
  created_at: text().notNull(),
});

export const reminders = sqliteTable("reminders", {
  owner: integer().notNull().primaryKey(),
  mail_hour: integer(),
  push_hour: integer().notNull(),
  mail_at: text(),
  push_at: text(),
});
