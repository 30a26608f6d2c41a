/// <reference types="vite/types/importMeta.d.ts" />
import { env } from "cloudflare:workers";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, test } from "vitest";
import * as tables from "../src/db/tables.ts";

// CONTRIBUTING.md describes the rooms; these tests keep them apart.

const sources = import.meta.glob<string>("../src/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});

type Import = { from: string; to: string };

const KINDS = ["schema", "routes", "tools", "store"];
const FEATURELESS = ["core", "db"];

/** Stores that other features may call, each by the features that were meant to. */
const PUBLIC_STORES: Record<string, string[]> = {
  "api-keys/store": ["auth"],
  "auth/store": ["mcp", "sign-in"],
  "billing/store": ["auth"],
  "dashboard/store": ["auth"],
  "documents/store": ["open", "search", "trash"],
  "documents/folder-store": ["folders"],
  "documents/list-store": ["auth"],
  "documents/tag-store": ["tags"],
  "documents/trash-store": ["auth"],
  "memories/store": ["open", "search"],
  "memories/list-store": ["dashboard"],
  "documents/import-store": ["import"],
  "memories/import-store": ["auth", "import"],
  "text-index/store": ["documents", "memories", "search"],
};

/** Files that are neither one of the four kinds nor a pure rule, and what they are for. */
const MACHINERY = [
  "authorize/pages",
  "auth/attempts", // counts failed passwords by account and client address
  "auth/guard", // middleware: the token becomes a Ctx
  "auth/token", // reads the signing keys from the environment
  "docs/openapi",
  "docs/pages",
  "oauth/code-trade", // the Durable Object
  "oauth/legacy-token", // reads tokens of the API for the OAuth library
  "oauth/outbound", // the one fetch that leaves the service
  "oauth/provider", // the OAuth library's configuration
  "open/pages",
  "rate-limit/limit", // middleware and the one door to the Durable Object
  "rate-limit/rate-limiter", // the Durable Object
  "rate-limit/user-limit", // the one door to the rate limiting binding
  "sign-in/browser", // cookies
  "sign-in/pages",
  "sign-in/problems", // where an error becomes a page
];

function resolve(from: string, target: string): string {
  if (!target.startsWith(".")) return target;
  const path = new URL(target, `file:///${from}`).pathname.slice(1);
  return path.replace(/\.tsx?$/, "");
}

const files = Object.entries(sources).map(([path, text]) => {
  const name = path.replace("../src/", "").replace(/\.tsx?$/, "");
  const targets = [...text.matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"|^import "([^"]+)"/gm)];
  const imports = targets.map((match) => resolve(name, match[1] ?? match[2] ?? ""));
  const [room = "", file = ""] = name.includes("/") ? name.split("/") : ["", name];
  // A store that outgrew its file: versions-store.ts beside store.ts.
  const kind = file.replace(/^.*-store$/, "store");
  return { name, room, kind: KINDS.includes(kind) ? kind : "rule", imports, text };
});

const imports: Import[] = files.flatMap(({ name, imports }) => imports.map((to) => ({ from: name, to })));
const importsOf = (kind: string) => {
  const names = new Set(
    files.filter((file) => file.kind === kind && file.room !== "").map(({ name }) => name),
  );
  return imports.filter(({ from }) => names.has(from));
};
const roomOf = (name: string) => name.split("/")[0] ?? "";
const isSource = (target: string) => files.some(({ name }) => name === target);
const violations = (list: Import[], forbidden: (target: string, from: string) => boolean) =>
  list.filter(({ from, to }) => forbidden(to, from)).map(({ from, to }) => `${from} → ${to}`);

describe("a room", () => {
  test("is read at all", () => {
    expect(files.length).toBeGreaterThan(25);
    expect(imports).toContainEqual({ from: "documents/store", to: "text-index/store" });
  });

  test("schema.ts knows the wire, not SQL, HTTP, the environment or a store", () => {
    const forbidden = /^(drizzle-orm|hono\b|db\/|env$|cloudflare:)|\/(store|routes|tools)$/;
    expect(violations(importsOf("schema"), (to) => forbidden.test(to))).toEqual([]);
  });

  test("routes.ts knows HTTP, not SQL or MCP", () => {
    const routes = importsOf("routes").filter(({ from }) => roomOf(from) !== "mcp");
    expect(violations(routes, (to) => /^(drizzle-orm|db\/|mcp\/|@modelcontextprotocol)/.test(to))).toEqual(
      [],
    );
  });

  test("tools.ts knows neither SQL nor HTTP nor the protocol", () => {
    const forbidden = /^(drizzle-orm|db\/|mcp\/|@modelcontextprotocol|hono\b|env$)|\/routes$/;
    expect(violations(importsOf("tools"), (to) => forbidden.test(to))).toEqual([]);
  });

  test("store.ts knows rules and SQL, not HTTP, the environment or MCP", () => {
    const forbidden = /^(hono\b|env$|mcp\/|cloudflare:|@modelcontextprotocol)|\/(routes|tools|guard|limit)$/;
    expect(violations(importsOf("store"), (to) => forbidden.test(to))).toEqual([]);
  });

  test("keeps its store to itself, but for the functions that were exported on purpose", () => {
    const foreign = (to: string, from: string) =>
      /\/store$/.test(to) &&
      isSource(to) &&
      roomOf(to) !== roomOf(from) &&
      !PUBLIC_STORES[to]?.includes(roomOf(from));
    expect(
      violations(
        imports.filter(({ from }) => from.includes("/")),
        foreign,
      ),
    ).toEqual([]);
  });

  test("has rule files that know plain values only", () => {
    const rules = importsOf("rule").filter(({ from }) => ![...FEATURELESS, "mcp"].includes(roomOf(from)));
    const forbidden = /^(drizzle-orm|hono\b|db\/|env$|cloudflare:)|\/(store|routes|tools)$/;
    const pure = rules.filter(({ from }) => !MACHINERY.includes(from));
    expect(violations(pure, (to) => forbidden.test(to))).toEqual([]);
  });

  test("stands where it belongs: text-index below documents and memories, search above", () => {
    const above = (to: string, from: string) =>
      roomOf(from) === "text-index"
        ? isSource(to) && ![...FEATURELESS, "text-index"].includes(roomOf(to))
        : ["documents", "memories"].includes(roomOf(from)) && roomOf(to) === "search";
    expect(violations(imports, above)).toEqual([]);
  });

  test("is not known to core/", () => {
    const features = (to: string) => isSource(to) && to.includes("/") && !FEATURELESS.includes(roomOf(to));
    expect(
      violations(
        imports.filter(({ from }) => roomOf(from) === "core"),
        features,
      ),
    ).toEqual([]);
  });
});

describe("the whole", () => {
  test("serves every /api/<word> from src/<word>/routes.ts", () => {
    const app = files.find(({ name }) => name === "app")?.text ?? "";
    const mounted = [...app.matchAll(/app\.route\("\/(?:api\/)?([\w-]+)", (\w+)/g)];
    expect(mounted.length).toBeGreaterThan(6);
    for (const [, word, router] of mounted) {
      const source = new RegExp(`\\b${router}\\b[^;]*} from "\\./${word}/routes\\.ts"`);
      expect(app, `/${word}`).toMatch(source);
    }
  });

  test("turns errors into answers in core/http.ts and mcp/register.ts alone", () => {
    const catching = files.filter(({ text }) => /\bcatch\s*[({]/.test(text)).map(({ name }) => name);
    // token.ts maps a library's refusals to our own; time-zone.ts asks the runtime by trying; a tool says in its
    // own words what to do about a refusal; mcp/serve leaves broken JSON to the protocol's servers.
    expect(catching.filter((name) => name !== "mcp/register").sort()).toEqual([
      "auth/erasure-store", // an account that cannot be erased stops no other
      "auth/token",
      "core/time-zone",
      "documents/tools",
      "export/format", // a line that is not JSON
      "mcp/serve",
      "oauth/legacy-token",
      "oauth/token-request", // a form that cannot be read is left to the library
      "purge", // a step that fails stops no other
      "search/tools",
      "sign-in/browser",
    ]);
  });

  test("has no other clock than the one of the request", () => {
    const clocks = files
      .filter(({ text }) => /Date\.now\(\)|new Date\(\)/.test(text))
      .map(({ name }) => name);
    expect(clocks.sort()).toEqual([
      "core/ctx",
      "core/http",
      "mcp/session",
      "oauth/code-trade",
      "rate-limit/rate-limiter",
    ]);
  });
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

  test("leaves out no table", async () => {
    const { results } = await env.DB.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'",
    ).all<{ name: string }>();
    const virtual = /^(d1_migrations|search_(index|occurrences|words)(_.*)?)$/;
    const migrated = results.map(({ name }) => name).filter((name) => !virtual.test(name));
    expect(migrated.sort()).toEqual(all.map(([name]) => name).sort());
  });
});
