/// <reference types="vite/types/importMeta.d.ts" />
import { env } from "cloudflare:workers";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { SCREENS } from "../../src/contract/paths.ts";
import { readDestination } from "../../src/doors/pages/destination.ts";
import * as tables from "../../src/platform/db/tables.ts";
import { districtOf, type Import, importsIn, isUpwards, roomOf } from "../kit/districts.ts";

// Enforces the structure that CONTRIBUTING.md describes.

const { "../../wrangler.toml": wrangler = "", ...sources } = import.meta.glob<string>(
  [
    "../../src/**/*.{ts,tsx}",
    "../../web/src/**/*.{ts,tsx}",
    "../../web/worker/**/*.ts",
    "../../scripts/**/*.ts",
    "../../wrangler.toml",
  ],
  { query: "?raw", import: "default", eager: true },
);

/** What the operator's commands use of the service, because they work on its databases: and for what. */
const COMMANDS = [
  "src/engine/index", // a restored database is indexed, and searched once
  "src/features/admin/store", // what `npm run admin` does
  "src/features/auth/registration-store", // the first admin's link
  "src/features/billing/cancel", // a subscription ends before its account is deleted
  "src/features/indexed/entry", // what a restored document or record is found by
  "src/features/shard-migration/purge-store", // restoring a shard in the middle of a move
  "src/features/shard-migration/store", // `npm run homes -- move`
  "src/features/shard-migration/counterpart-store", // accounts that a restored backup and another shard both have
  "src/features/push/keys", // new keys for push messages
  "src/platform/core/ctx", // a context for the operator
  "src/platform/db/call", // the one way to D1
  "src/platform/shards/address-directory-store", // which shard has an address
];

/** What the contract may import besides itself: nothing that needs a runtime of its own. */
const PACKAGES_OF_THE_CONTRACT = [
  ...["@hono/zod-openapi", "@noble/hashes", "decode-named-character-reference", "diff"],
  ...["fastest-levenshtein"],
  ...["fflate", "ical.js", "ipaddr.js", "papaparse", "smol-toml", "temporal-polyfill", "yaml", "zod"],
];

/** A file's kind: a store that outgrew its file is a store, such as versions-store.ts beside store.ts. */
const kindOf = (name: string) => /^(?:.*-)?(routes|tools|store)$/.exec(name.split("/").at(-1) ?? "")?.[1];

const files = Object.entries(sources).map(([path, text]) => {
  const name = path.replace("../../", "").replace(/\.tsx?$/, "");
  return { name, kind: kindOf(name), imports: importsIn(name, text), text };
});

const names = new Set(files.map(({ name }) => name));
const imports: Import[] = files.flatMap(({ name, imports }) => imports.map((to) => ({ from: name, to })));
const inside = imports.filter(({ to }) => names.has(to));
const service = files.filter(({ name }) => name.startsWith("src/"));

const show = (list: Import[]) => list.map(({ from, to }) => `${from} → ${to}`);
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

describe("imports, including those of types,", () => {
  test("are found in the sources", () => {
    expect(files.length).toBeGreaterThan(500);
    const name = "src/features/documents/store";
    expect(inside).toContainEqual({ from: name, to: "src/platform/idempotency/store" });
    expect(inside).toContainEqual({ from: "web/src/api/documents", to: "src/contract/document" });
    const [a, b, c] = ["a", "b", "c"].map((from, at) => ({ from, to: "bcb"[at] ?? "" })) as [
      Import,
      Import,
      Import,
    ];
    expect(circlesOf([a, b, c])).toEqual([["b", "c"]]);
  });

  test("go downwards, from district to district", () => {
    const up = inside.filter(isUpwards);
    const isCommand = ({ from, to }: Import) => from.startsWith("scripts/") && COMMANDS.includes(to);
    expect(show(up.filter((one) => !isCommand(one)))).toEqual([]);
    const needed = new Set(up.filter(isCommand).map(({ to }) => to));
    expect(COMMANDS.filter((one) => !needed.has(one))).toEqual([]);
  });

  test("of the engine are of its entrance, from everywhere else", () => {
    const within = inside.filter(
      ({ from, to }) =>
        districtOf(from) !== "src/engine" && districtOf(to) === "src/engine" && to !== "src/engine/index",
    );
    expect(show(within)).toEqual([]);
    expect(inside).toContainEqual({ from: "src/features/search/store", to: "src/engine/index" });
  });

  test("of the engine are of words and queries: it knows no record and no Markdown", () => {
    const others = inside.filter(
      ({ from, to }) =>
        districtOf(from) === "src/engine" && /^src\/(contract|shared\/(?!(query|text)\/))/.test(to),
    );
    expect(show(others)).toEqual([]);
    const markdown = inside.filter(
      ({ from, to }) =>
        from.startsWith("src/shared/markdown/") && /^src\/shared\/(query|text)\/(?!steps$)/.test(to),
    );
    expect(show(markdown)).toEqual([]);
  });

  test("of the contract and of what is shared are of themselves and of packages that run anywhere", () => {
    const own = imports.filter(
      ({ from, to }) => /^src\/(contract|shared)$/.test(districtOf(from)) && !names.has(to),
    );
    const isListed = ({ to }: Import) =>
      PACKAGES_OF_THE_CONTRACT.some((name) => to === name || to.startsWith(`${name}/`));
    expect(show(own.filter((one) => !isListed(one)))).toEqual([]);
  });

  test("form no cycle of files", () => {
    expect(circlesOf(inside)).toEqual([]);
  });

  test("form no cycle of folders", () => {
    const nested = (a: string, b: string) => a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
    const rooms = inside
      .map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }))
      .filter(({ from, to }) => from !== to && !nested(from, to));
    expect(circlesOf(rooms)).toEqual([]);
  });

  test("bring nothing of the Workers runtime to scripts and the app", () => {
    const pairs = files.flatMap(({ name, text }) => {
      const run = text.replace(/^(?:import|export) type\b[^;]*;/gm, "");
      return importsIn(name, run).map((to) => ({ from: name, to }));
    });
    const next = Map.groupBy(pairs, ({ from }) => from);
    const starts = pairs.filter(({ from, to }) => !from.startsWith("src/") && to.startsWith("src/"));
    expect(starts).toContainEqual({ from: "scripts/backup/load", to: "src/engine/index" });
    const needsWorkers = ({ to }: Import) =>
      [...reachedFrom(to, next)].some((reached) => reached.startsWith("cloudflare:"));
    expect(show(starts.filter(needsWorkers))).toEqual([]);
  });
});

test("every screen of the app can be returned to after a sign-in", () => {
  const paths = Object.values(SCREENS).map(({ path }) => `${path.replace(":id", "1")}?x`);
  expect(paths.map(readDestination)).toEqual(paths);
});

/** What a file of this kind must not import, by what it must not contain. */
const FORBIDDEN = {
  routes: /^(drizzle-orm|src\/platform\/db\/|src\/doors\/mcp\/|@modelcontextprotocol)/,
  tools: /^(drizzle-orm|src\/platform\/db\/|src\/doors\/|@modelcontextprotocol|hono\b|src\/env$)|\/routes$/,
  store: /^(hono\b|src\/env$|src\/doors\/|cloudflare:|@modelcontextprotocol)|\/(routes|tools|guard|limit)$/,
};

test.each(Object.entries(FORBIDDEN))(
  "every %s.ts imports nothing of what it must not contain",
  (kind, those) => {
    const ofKind = service.filter(
      (file) => file.kind === kind && !(kind !== "store" && file.name.startsWith("src/doors/mcp/")),
    );
    const found = ofKind.flatMap(({ name, imports }) => imports.map((to) => ({ from: name, to })));
    expect(found.length).toBeGreaterThan(50);
    expect(show(found.filter(({ to }) => those.test(to)))).toEqual([]);
  },
);

test("routes, tools, stores and the engine are given the time", () => {
  const given = service.filter(({ name, kind }) => kind !== undefined || districtOf(name) === "src/engine");
  const clocks = given.filter(({ text }) => /Date\.now\(\)|new Date\(\)/.test(text));
  expect(clocks.map(({ name }) => name)).toEqual([]);
});

test("wrangler.toml configures previews with every binding and setting of production", () => {
  type Config = Record<string, unknown> & { vars: object; previews: Config };
  const config = parse(wrangler) as Config;
  const bindings = ["d1_databases", "kv_namespaces", "durable_objects", "ratelimits"];
  const namesIn = (of: Config) =>
    bindings.map((name) => JSON.stringify(of[name]).match(/"(binding|name|class_name)":"\w+"/g));
  expect(namesIn(config.previews)).toEqual(namesIn(config));
  expect(Object.keys(config.previews.vars)).toEqual(Object.keys(config.vars));
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
    const { results } = await env.DB.prepare(`PRAGMA table_info(${name})`).all<
      Record<string, string | number>
    >();
    const migrated = results.map(({ name, type, notnull, pk }) => ({
      ...{ name, type, notnull: Boolean(notnull || pk), key: Boolean(pk) },
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
