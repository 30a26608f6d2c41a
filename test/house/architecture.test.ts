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

const sources = import.meta.glob<string>(
  [
    "../../src/**/*.{ts,tsx}",
    "../../web/src/**/*.{ts,tsx}",
    "../../web/worker/**/*.ts",
    "../../scripts/**/*.ts",
  ],
  { query: "?raw", import: "default", eager: true },
);

const wrangler = import.meta.glob<string>("../../wrangler.toml", {
  query: "?raw",
  import: "default",
  eager: true,
});

/**
 * The operator's commands work on databases, as the Worker does, and not through the service: what they use of it, and
 * for what.
 */
const COMMANDS = [
  "src/engine/index", // a restored database is indexed, and searched once
  "src/features/admin/store", // what `npm run admin` does
  "src/features/auth/registration-store", // the first admin's link
  "src/features/billing/cancel", // what somebody pays for ends before their account is deleted
  "src/features/indexed/entry", // what a restored document or record is found by
  "src/features/shard-migration/purge-store", // restoring a home in the middle of a move
  "src/features/shard-migration/store", // `npm run homes -- move`
  "src/features/shard-migration/counterpart-store", // accounts that a restored backup and another home both have
  "src/features/push/keys", // new keys for push messages
  "src/platform/core/ctx", // a context for the operator
  "src/platform/db/call", // the one way to D1
  "src/platform/shards/address-directory-store", // which home has an address
];

/** What the contract may import besides itself: nothing that needs a runtime of its own. */
const PACKAGES_OF_THE_CONTRACT = [
  "@hono/zod-openapi", // zod, with what a schema's description needs
  "@noble/hashes", // ids of imported records
  "decode-named-character-reference", // Markdown
  "diff", // what two people have changed in one text
  "fastest-levenshtein", // hints
  "fflate", // zips
  "ical.js", // calendar files
  "ipaddr.js", // addresses
  "papaparse", // tables
  "smol-toml", // the fields on top of a note
  "temporal-polyfill",
  "yaml", // the same
  "zod",
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

const importsOf = (kind: string) => {
  const ofKind = new Set(service.filter((file) => file.kind === kind).map(({ name }) => name));
  return imports.filter(({ from }) => ofKind.has(from));
};
const show = (list: Import[]) => list.map(({ from, to }) => `${from} → ${to}`);
const violations = (list: Import[], forbidden: RegExp) => show(list.filter(({ to }) => forbidden.test(to)));

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

/** Whose errors have no code, so that only their texts tell them apart: D1, a browser that lacks a file. */
const WITHOUT_CODES = [
  "src/platform/db/call",
  "src/platform/shards/router",
  "src/features/shard-migration/store",
  "web/src/shell/screen-boundary",
];

test("nobody decides by the text of an error", () => {
  const text =
    /\b(message|detail)\)?\s*([=!]==?\s*["'`]|\??\.(includes|startsWith|endsWith|match|search|indexOf)\()/;
  const tested =
    /\.(test|exec)\([^;\n]*\b(message|detail)\b|\.(test|exec)\(String\((error|problem|refused)\)/;
  const found = files
    .filter((file) => text.test(file.text) || tested.test(file.text))
    .map(({ name }) => name);
  expect(found.sort()).toEqual(WITHOUT_CODES.sort());
});

describe("imports, including those of types,", () => {
  test("are found in the sources", () => {
    expect(files.length).toBeGreaterThan(500);
    expect(inside).toContainEqual({
      from: "src/features/documents/store",
      to: "src/platform/idempotency/store",
    });
    expect(inside).toContainEqual({ from: "web/src/api/documents", to: "src/contract/document" });
    const circle = [
      { from: "a", to: "b" },
      { from: "b", to: "c" },
      { from: "c", to: "b" },
    ];
    expect(circlesOf(circle)).toEqual([["b", "c"]]);
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

describe("a screen of the app", () => {
  const roots = new Set(Object.values(SCREENS).map(({ path }) => path.split("/")[1]));
  /** The paths that a text writes down itself. */
  const pathsIn = (text: string) =>
    [...text.matchAll(/["'`]\/([a-z]+)/g)].filter(([, root]) => roots.has(root)).map(([path]) => path);

  test("has its path in one file, which all read that have to know the screens", () => {
    const knowing =
      /^(web\/src\/shell\/|web\/worker\/|src\/doors\/(pages\/destination|open\/)|scripts\/screens)/;
    const written = files.filter(({ name }) => knowing.test(name)).flatMap(({ text }) => pathsIn(text));
    expect(written).toEqual([]);
    expect(pathsIn('href="/settings/transfer" to="/api/documents"')).toEqual(['"/settings']);
  });

  test("is named in two files besides its own: the paths and the router", () => {
    const views = files.find(({ name }) => name === "web/src/shell/app")?.text ?? "";
    const { today: _, ...later } = SCREENS;
    for (const name of Object.keys(later)) expect(views).toMatch(new RegExp(`^  ${name}: `, "m"));
    expect(views).toContain("asking(Today)");
    const naming = files.filter(
      ({ name, text }) => /\bwebhooks: /.test(text) && /\btransfer: /.test(text) && name,
    );
    expect(naming.map(({ name }) => name).sort()).toEqual(["src/contract/paths", "web/src/shell/app"]);
  });

  test("can be returned to after a sign-in", () => {
    const paths = Object.values(SCREENS).map(({ path }) => path.replace(":id", "1"));
    expect(paths.map((path) => readDestination(`${path}?x`))).toEqual(paths.map((path) => `${path}?x`));
  });
});

describe("a folder of the service", () => {
  test("has a routes.ts without SQL or MCP", () => {
    const routes = importsOf("routes").filter(({ from }) => !from.startsWith("src/doors/mcp/"));
    expect(
      violations(routes, /^(drizzle-orm|src\/platform\/db\/|src\/doors\/mcp\/|@modelcontextprotocol)/),
    ).toEqual([]);
  });

  test("has a tools.ts without SQL, HTTP or the protocol", () => {
    const tools = importsOf("tools").filter(({ from }) => !from.startsWith("src/doors/mcp/"));
    const forbidden =
      /^(drizzle-orm|src\/platform\/db\/|src\/doors\/|@modelcontextprotocol|hono\b|src\/env$)|\/routes$/;
    expect(violations(tools, forbidden)).toEqual([]);
  });

  test("has stores without HTTP, the environment or MCP", () => {
    const forbidden =
      /^(hono\b|src\/env$|src\/doors\/|cloudflare:|@modelcontextprotocol)|\/(routes|tools|guard|limit)$/;
    expect(violations(importsOf("store"), forbidden)).toEqual([]);
  });
});

describe("the service", () => {
  test("serves every /api/<word> from src/features/<word>/routes.ts", () => {
    const app = files.find(({ name }) => name === "src/app")?.text ?? "";
    const mounted = [...app.matchAll(/app\.route\("\/(?:api\/)?([\w-]+)", (\w+)/g)];
    expect(mounted.length).toBeGreaterThan(6);
    for (const [, word, router] of mounted) {
      const source = new RegExp(`\\b${router}\\b[^;]*} from "\\./(features|doors)/${word}/routes\\.ts"`);
      expect(app, `/${word}`).toMatch(source);
    }
  });

  test("is given the time: routes, tools, stores and the engine never read the clock", () => {
    const isGiven = ({ name, kind }: (typeof files)[number]) =>
      kind !== undefined || districtOf(name) === "src/engine";
    const clocks = service.filter((file) => isGiven(file) && /Date\.now\(\)|new Date\(\)/.test(file.text));
    expect(clocks.map(({ name }) => name)).toEqual([]);
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
