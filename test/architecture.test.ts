/// <reference types="vite/types/importMeta.d.ts" />
import { env } from "cloudflare:workers";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import * as tables from "../src/db/tables.ts";

// Enforces the structure that CONTRIBUTING.md describes.

const sources = import.meta.glob<string>("../src/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});

const wrangler = import.meta.glob<string>("../wrangler.toml", {
  query: "?raw",
  import: "default",
  eager: true,
});

type Import = { from: string; to: string };

const ROUTES_AND_TOOLS = /\/(routes|tools)$/;
const STORE = /\/([\w-]+-)?store$/;

/** Stores that other folders may call, each with those folders. */
const PUBLIC_STORES: Record<string, string[]> = {
  "activity/retention-store": ["purge"],
  "api-keys/store": ["purge"],
  "auth/address-store": ["purge"],
  "auth/caller-store": ["mcp", "oauth"],
  "auth/email/link-store": ["admin"],
  "auth/email/store": ["purge"],
  "auth/key-store": ["api-keys"],
  "auth/passkeys/store": ["sign-in"],
  "auth/registration-store": ["purge"],
  "auth/second-factor/store": ["admin"],
  "auth/session-store": ["pages", "purge"],
  "auth/store": ["sign-in"],
  "auth/user-store": ["admin"],
  "billing/quota-store": ["api-keys", "documents", "folders", "import", "memories"],
  "billing/store": ["authorize", "mcp"],
  "connections/store": ["purge"],
  "dashboard/store": ["mcp"],
  "documents/folder-path-store": ["folders", "mcp", "trash"],
  "documents/folder-store": ["folders"],
  "documents/import-store": ["import"],
  "documents/index-store": ["import"],
  "documents/list-store": ["search", "trash"],
  "documents/store": ["changes", "trash"],
  "documents/tag-store": ["tags"],
  "documents/trash-store": ["activity", "erasure", "trash"],
  "documents/versions-store": ["activity", "search", "trash"],
  "erasure/store": ["admin", "auth", "moving", "purge"],
  "folders/store": ["activity", "import"],
  "homes/book-store": ["auth", "moving", "purge"],
  "homes/move-store": ["authorize", "moving", "webhooks"],
  "homes/schema-store": ["health", "moving", "purge"],
  "idempotency/store": ["documents", "folders", "memories", "purge"],
  "import/store": ["purge"],
  "ledger/store": ["activity", "documents", "folders", "import", "memories", "trash"],
  "memories/active-store": ["dashboard", "reminders", "webhooks"],
  "memories/alert-store": ["dashboard"],
  "memories/closed-store": ["dashboard"],
  "memories/filter-store": ["dashboard", "projects"],
  "memories/import-store": ["erasure", "import"],
  "memories/project-store": ["activity", "projects"],
  "memories/row-store": ["activity", "changes", "dashboard", "projects", "trash"],
  "memories/store": ["search"],
  "memories/trash-store": ["activity", "trash"],
  "memories/versions-store": ["activity", "search", "trash"],
  "memories/wake-store": ["auth", "import", "purge"],
  "moving/purge-store": ["purge"],
  "push/store": ["purge", "reminders"],
  "reminders/store": ["auth"],
  "search/reindex-store": ["purge"],
  "security-events/store": ["api-keys", "auth", "authorize", "connections", "dashboard", "export", "purge"],
  "text-index/store": ["documents", "mcp", "memories", "moving", "purge", "search"],
  "trash/store": ["purge"],
  "webhooks/sending-store": ["purge"],
};

/** Folders below all features, each with the folders that it may import. */
const FOUNDATIONS: Record<string, string[]> = {
  env: [],
  core: ["env"],
  db: ["core"],
  "text-index": ["core", "db"],
  idempotency: ["core", "db"],
  ledger: ["core", "db"],
  "rate-limit": ["core", "env"],
  mail: ["core", "env"],
  "security-events": ["core", "db"],
  homes: ["core", "db", "env"],
};

/** Files that are neither one of the four kinds nor a pure function, and what they are for. */
const MACHINERY = [
  "billing/day", // counts requests a day, in the isolate and in a Durable Object
  "auth/attempts", // counts failed passwords by account and client address
  "auth/confirmation", // checks the password and a code, and counts the wrong ones
  "auth/email/links", // mails links and carries out what they are for
  "auth/guard", // middleware: the token becomes a Ctx
  "auth/registration", // who may create an account, according to the settings
  "auth/session-cookie", // the session cookie, and the rules against cross-site requests
  "auth/sign-in-answer", // tokens, or the cookie
  "auth/token", // reads the signing keys from the environment
  "authorize/asker", // looks up the program that asks
  "connections/grants", // the grants of MCP clients, in KV
  "homes/choice", // reads the request's place and a setting
  "homes/router", // middleware, and the only place that chooses a database
  "idempotency/answer-once", // middleware
  "mail/send", // chooses the transport that is configured
  "mail/smtp", // a socket
  "oauth/code-trade", // the Durable Object
  "oauth/legacy-token", // reads tokens of the API for the OAuth library
  "oauth/provider", // the OAuth library's configuration
  "pages/browser", // cookies
  "pages/entrance", // where the app begins for somebody without a session
  "pages/layout",
  "pages/problems", // where an error becomes a page
  "push/send", // encrypts messages and hands them to push services
  "rate-limit/limit", // middleware, and the only access to the Durable Object
  "rate-limit/rate-limiter", // the Durable Object
  "rate-limit/user-limit", // the only access to the rate limiting binding
  "sign-in/fields", // what a person entered into a form
  "reminders/remind", // whose hour has come, and how they are told
  "webhooks/deliver", // one attempt, and what came of it
  "webhooks/reach", // a setting
  "webhooks/sender", // the Durable Object
  "webhooks/wake", // middleware, and the only access to the Durable Object
];

/**
 * Where an error is caught, and why. core/http.ts and mcp/register.ts turn errors into answers; all other code lets them
 * pass, unless an error is an expected outcome.
 */
const CATCHING = [
  "activity/undo-store", // a refused undo is a result, and the others are carried out
  "auth/passkeys/verify", // whatever is wrong with a passkey's answer, it is not valid
  "auth/second-factor/ticket", // turns a library's error into our own
  "auth/token", // the same
  "billing/limits", // a setting that is not JSON
  "core/cursor", // a cursor that is not JSON
  "core/openapi", // an unexpected body need not be JSON
  "core/time-zone", // tries whether the runtime knows the time zone
  "db/call", // turns a failed `must` into the error for its word
  "documents/edit-tools", // a document that is refused does not stop the others
  "documents/write-tools", // explains a refusal in the tool's own words
  "erasure/store", // an account that cannot be erased does not stop the others
  "export/format", // a line that is not JSON
  "homes/schema-store", // a home that cannot be asked is shown as such
  "mail/send", // a mail that cannot be sent is a 503
  "mail/smtp", // a mail that the server has accepted is sent, however the conversation ends
  "mcp/register",
  "mcp/serve", // leaves malformed JSON to the protocol's servers
  "mcp/serve-session", // a session that the library finds unknown is a 404
  "memories/bulk-store", // a failed operation is a result, and the others are carried out
  "memories/update-tools",
  "memories/write-tools",
  "moving/store", // a copy that cannot be used is made again, or given up
  "oauth/code-trade", // the next trade waits for this one, however it ends
  "oauth/legacy-token",
  "oauth/token-request", // an unreadable form is left to the library
  "purge", // a step that fails does not stop the others
  "push/keys", // bytes that cannot be imported are no key
  "push/send", // a browser that cannot be reached does not stop the others
  "reminders/remind", // an account that cannot be reminded does not stop the others
  "search/tools",
  "trash/tools",
  "webhooks/attempt", // a receiver that cannot be reached is an outcome
  "webhooks/sender", // the next turn waits for this one, however it ends
];

/** Where the clock is read. All other code is given the time. */
const CLOCKS = [
  "db/session",
  "mail/send",
  "mcp/session",
  "oauth/code-trade",
  "rate-limit/rate-limiter",
  "reminders/remind",
  "webhooks/deliver",
  "webhooks/sender",
];

function resolve(from: string, target: string): string {
  if (!target.startsWith(".")) return target;
  const path = new URL(target, `file:///${from}`).pathname.slice(1);
  return path.replace(/\.tsx?$/, "");
}

const IMPORT = /^(?:import|export)\b[^;]*?from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm;

/** A file's kind: a store that outgrew its file is a store, such as versions-store.ts beside store.ts. */
const kindOf = (file: string) => /^(?:.*-)?(schema|routes|tools|store)$/.exec(file)?.[1] ?? "rule";

const roomOf = (name: string) => name.split("/")[0] ?? "";

const files = Object.entries(sources).map(([path, text]) => {
  const name = path.replace("../src/", "").replace(/\.tsx?$/, "");
  const targets = [...text.matchAll(IMPORT)].map(([, from, alone, late]) => from ?? alone ?? late ?? "");
  const kind = name.includes("/") ? kindOf(name.split("/").at(-1) ?? "") : "whole";
  return { name, room: roomOf(name), kind, imports: targets.map((to) => resolve(name, to)), text };
});

const names = new Set(files.map(({ name }) => name));
const imports: Import[] = files.flatMap(({ name, imports }) => imports.map((to) => ({ from: name, to })));
const inside = imports.filter(({ to }) => names.has(to));
const between = inside.filter(({ from, to }) => roomOf(from) !== roomOf(to));

const importsOf = (kind: string) => {
  const ofKind = new Set(files.filter((file) => file.kind === kind).map(({ name }) => name));
  return imports.filter(({ from }) => ofKind.has(from));
};
const show = (list: Import[]) => list.map(({ from, to }) => `${from} → ${to}`);
const violations = (list: Import[], forbidden: (target: string, from: string) => boolean) =>
  show(list.filter(({ from, to }) => forbidden(to, from)));

/** What a name imports, directly or not; includes the name itself if it is part of a cycle. */
function reachedFrom(name: string, next: Map<string, Import[]>): Set<string> {
  const reached = new Set<string>();
  const waiting = [name];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const { to } of next.get(at) ?? []) if (!reached.has(to)) waiting.push(to);
    for (const { to } of next.get(at) ?? []) reached.add(to);
  }
  return reached;
}

/** The cycles of a graph: names that reach each other. */
function circlesOf(arrows: Import[]): string[][] {
  const next = Map.groupBy(arrows, ({ from }) => from);
  const reached = new Map([...next.keys()].map((name) => [name, reachedFrom(name, next)]));
  const circles = [...reached].map(([name, others]) =>
    [...others].filter((other) => reached.get(other)?.has(name)).sort(),
  );
  return [...new Map(circles.map((circle) => [circle.join(), circle])).values()].filter(
    (circle) => circle.length > 0,
  );
}

const OPENING = "([{";
const CLOSING = ")]}";

/** The number of arguments of a call whose opening bracket is at `start`. */
function argumentsAt(text: string, start: number): number {
  let depth = 0;
  let count = 1;
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? "";
    if (OPENING.includes(character)) depth++;
    if (character === "," && depth === 1 && !/^,\s*\)/.test(text.slice(at))) count++;
    if (CLOSING.includes(character) && --depth === 0) break;
  }
  return count;
}

/** Whether a file catches: `catch`, or the second argument of `then`. */
const catches = (text: string) =>
  /\bcatch\s*[({]/.test(text) ||
  [...text.matchAll(/\.then\(/g)].some(({ index }) => argumentsAt(text, index + ".then".length) > 1);

describe("imports, including those of types,", () => {
  test("are found in the sources", () => {
    expect(files.length).toBeGreaterThan(100);
    expect(inside).toContainEqual({ from: "documents/store", to: "idempotency/store" });
    expect(inside).toContainEqual({ from: "documents/import-store", to: "db/tables" });
    const circle = [
      { from: "a", to: "b" },
      { from: "b", to: "c" },
      { from: "c", to: "b" },
    ];
    expect(circlesOf(circle)).toEqual([["b", "c"]]);
  });

  test("form no cycle of files", () => {
    expect(circlesOf(inside)).toEqual([]);
  });

  test("form no cycle of folders", () => {
    const rooms = between.map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }));
    const circles = circlesOf(rooms);
    const within = ({ from, to }: Import) =>
      circles.some((circle) => circle.includes(roomOf(from)) && circle.includes(roomOf(to)));
    expect(show(between.filter(within))).toEqual([]);
  });

  test("go in one direction: shared code imports only shared code", () => {
    expect(
      violations(between, (to, from) => FOUNDATIONS[roomOf(from)]?.includes(roomOf(to)) === false),
    ).toEqual([]);
  });

  test("go in one direction: nothing imports the app or the entry point", () => {
    const whole = (to: string, from: string) =>
      /^(index|app|purge|mcp\/.*)$/.test(to) && !["index", "app"].includes(from);
    expect(violations(between, whole)).toEqual([]);
  });
});

describe("a folder", () => {
  test("has a schema.ts without SQL, HTTP, the environment or a store", () => {
    const forbidden = /^(drizzle-orm|hono\b|db\/|env$|cloudflare:)/;
    const above = (to: string) => forbidden.test(to) || STORE.test(to) || ROUTES_AND_TOOLS.test(to);
    expect(violations(importsOf("schema"), above)).toEqual([]);
  });

  test("has a routes.ts without SQL or MCP", () => {
    const routes = importsOf("routes").filter(({ from }) => roomOf(from) !== "mcp");
    expect(violations(routes, (to) => /^(drizzle-orm|db\/|mcp\/|@modelcontextprotocol)/.test(to))).toEqual(
      [],
    );
  });

  test("has a tools.ts without SQL, HTTP or the protocol", () => {
    const tools = importsOf("tools").filter(({ from }) => roomOf(from) !== "mcp");
    const forbidden = /^(drizzle-orm|db\/|mcp\/|@modelcontextprotocol|hono\b|env$)|\/routes$/;
    expect(violations(tools, (to) => forbidden.test(to))).toEqual([]);
  });

  test("has stores without HTTP, the environment or MCP", () => {
    const forbidden = /^(hono\b|env$|mcp\/|cloudflare:|@modelcontextprotocol)|\/(routes|tools|guard|limit)$/;
    expect(violations(importsOf("store"), (to) => forbidden.test(to))).toEqual([]);
  });

  test("calls no other folder's store, except those that are listed", () => {
    const used = new Map<string, Set<string>>();
    for (const { from, to } of between.filter(({ to }) => STORE.test(to))) {
      used.set(to, (used.get(to) ?? new Set()).add(roomOf(from)));
    }
    const found = [...used].map(([store, rooms]) => [store, [...rooms].sort()]);
    expect(Object.fromEntries(found)).toEqual(PUBLIC_STORES);
  });

  test("has pure functions that import only plain values", () => {
    const forbidden = /^(drizzle-orm|hono\b|db\/|env$|cloudflare:)/;
    const above = (to: string) => forbidden.test(to) || STORE.test(to) || ROUTES_AND_TOOLS.test(to);
    const rules = importsOf("rule").filter(({ from }) => !["core", "db", "mcp"].includes(roomOf(from)));
    const impure = new Set(rules.filter(({ to }) => above(to)).map(({ from }) => from));
    expect([...impure].sort()).toEqual([...MACHINERY].sort());
  });
});

describe("the service", () => {
  test("serves every /api/<word> from src/<word>/routes.ts", () => {
    const app = files.find(({ name }) => name === "app")?.text ?? "";
    const mounted = [...app.matchAll(/app\.route\("\/(?:api\/)?([\w-]+)", (\w+)/g)];
    expect(mounted.length).toBeGreaterThan(6);
    for (const [, word, router] of mounted) {
      const source = new RegExp(`\\b${router}\\b[^;]*} from "\\./${word}/routes\\.ts"`);
      expect(app, `/${word}`).toMatch(source);
    }
  });

  test("catches errors only where that is listed", () => {
    expect(catches("await read().then((value) => value, () => undefined)")).toBe(true);
    expect(catches("await read().then(({ a, b }) => [a, b])")).toBe(false);
    const catching = files.filter(({ text }) => catches(text)).map(({ name }) => name);
    expect(catching.sort()).toEqual(CATCHING);
  });

  test("reads the clock only where that is listed", () => {
    const clocks = files.filter(({ text }) => /Date\.now\(\)|new Date\(\)/.test(text));
    expect(clocks.map(({ name }) => name).sort()).toEqual(CLOCKS);
  });
});

type Bindings = {
  vars: Record<string, string>;
  d1_databases: { binding: string }[];
  kv_namespaces: { binding: string }[];
  durable_objects: { bindings: { name: string; class_name: string }[] };
  ratelimits: { name: string }[];
};

test("wrangler.toml configures previews with every binding and setting of production", () => {
  const config = parse(Object.values(wrangler)[0] ?? "") as unknown as Bindings & { previews: Bindings };
  const namesIn = ({ vars, d1_databases, kv_namespaces, durable_objects, ratelimits }: Bindings) => [
    ...[...d1_databases, ...kv_namespaces].map(({ binding }) => binding),
    ...durable_objects.bindings.map(({ name, class_name }) => `${name} ${class_name}`),
    ...ratelimits.map(({ name }) => name),
    ...Object.keys(vars),
  ];
  expect(namesIn(config.previews)).toEqual(namesIn(config));
});

describe("db/tables.ts", () => {
  const all = Object.entries(tables) as [string, SQLiteTable][];

  test.for(all)("describes %s as the migrated database has it", async ([name, table]) => {
    const { columns, primaryKeys } = getTableConfig(table);
    const keys = primaryKeys.flatMap((key) => key.columns.map((column) => column.name));
    const described = columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().toUpperCase(),
      notnull: column.notNull || column.primary || keys.includes(column.name),
      key: column.primary || keys.includes(column.name),
    }));
    const { results } = await env.DB.prepare(`PRAGMA table_info(${name})`).all<{
      name: string;
      type: string;
      notnull: number;
      pk: number;
    }>();
    const migrated = results.map((row) => ({
      name: row.name,
      type: row.type,
      notnull: Boolean(row.notnull || row.pk),
      key: row.pk > 0,
    }));
    expect(described).toEqual(migrated);
  });

  test("describes every table", async () => {
    const { results } = await env.DB.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'",
    ).all<{ name: string }>();
    const virtual = /^(d1_migrations|search_(index|occurrences|words)(_.*)?)$/;
    const migrated = results.map(({ name }) => name).filter((name) => !virtual.test(name));
    expect(migrated.sort()).toEqual(all.map(([name]) => name).sort());
  });
});
