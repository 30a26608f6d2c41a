import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { readExportLine } from "../../../src/features/export/format.ts";
import { listFoldersRoute } from "../../../src/features/folders/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { send } from "../../kit/files.ts";
import { type Fields, fileOf, ID, LINES as PLAIN, PLANNED } from "../../kit/import-lines.ts";
import { random } from "../../kit/random.ts";

const LINES = { ...PLAIN, memory: { ...PLAIN.memory, ...PLANNED } };

// Whatever value a field of an imported line has, no request fails, now or later.

const OTHER_ID = "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e43";

const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });

const HOSTILE: unknown[] = [
  ...[null, true, 0, -1, 1, 1.5, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e308],
  ...["", " ", "x", "\u0000", "\ud800", "x".repeat(30_000), ID, OTHER_ID],
  ..."doc:1|'; DROP TABLE users; --|$.a|%_|active|deferred|resolved|archived".split("|"),
  ..."Mars/Olympus|UTC|europe/berlin|+01:00|Etc/GMT+12|09:00|24:00".split("|"),
  ..."FREQ=DAILY|FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30|FREQ=DAILY;UNTIL=19990101".split("|"),
  ..."0000-01-01|9999-12-31|2026-02-30|+010000-01-01|-000001-01-01".split("|"),
  ..."0000-01-01T00:00:00Z|9999-12-31T23:59:59.999Z|2026-01-01T00:00Z|2026-13-01T00:00:00Z".split("|"),
  ..."2026-01-01T00:00:00.123456789012Z|2026-01-01T00:00:00+25:00".split("|"),
  ...[[{ before: "PT0S" }], [{ at: "2026-02-30T09:00" }], [{ at: "9999-12-31T23:59" }], { topic: "x" }],
  ...[[], ["x", "x"], ["."], Array(51).fill("x"), Array.from({ length: 50 }, (_, n) => `${n}`)],
  ...[[null], [[]], {}, deep(40), { __proto__: null, toString: 1 }, { text: Array(500).fill(1e20) }],
  ...[3650, 1e9, 0].map((commitment) => ({ commitment, blocker: 7 })),
  { format: "markdown", text: "a\n=\n".repeat(2_000) },
];

/** How many of the remaining resources are also changed. */
const SAMPLE = 4;

/** Calls everything that reads what an import may have written. Throws when a request fails. */
async function useEverything(client: Client): Promise<void> {
  const reads = [
    dashboard.listCommitmentsRoute,
    dashboard.listAlertsRoute,
    dashboard.listHistoryRoute,
    listFoldersRoute,
  ];
  for (const route of reads) await client.ok(route);
  for (const path of ["/api/dashboard/summary", "/api/trash", "/api/tags", "/api/export", "/api/auth/me"]) {
    const answer = await client.fetch(path);
    expect([path, answer.status]).toEqual([path, 200]);
    await answer.arrayBuffer();
  }
  await client.ok(searchRoute, { query: { q: "walrus", type: "all" } });
  const found = await client.ok(documents.listDocumentsRoute, { query: { limit: 100 } });
  for (const { id } of found.items.slice(0, SAMPLE)) {
    const params = { document_id: id };
    await client.ok(documents.getDocumentRoute, { params });
    await client.ok(documents.listVersionsRoute, { params });
    await client.ok(documents.updateDocumentRoute, { params, json: { title: "Changed", tags: ["y"] } });
  }
  const { items } = await client.ok(memories.listMemoriesRoute, { query: { limit: 100 } });
  for (const { id } of items.slice(0, SAMPLE)) {
    const params = { memory_id: String(id) };
    await client.ok(memories.getMemoryRoute, { params });
    await client.ok(memories.updateMemoryRoute, { params, json: { project: "Changed" } });
    await client.ok(memories.listMemoryEventsRoute, { params });
    await client.ok(memories.reopenMemoryRoute, { params });
    await client.ok(memories.confirmMemoryRoute, { params });
    await client.ok(memories.resolveMemoryRoute, { params });
  }
  const again = await (await client.fetch("/api/export")).text();
  const restored = await send(client, again, "?mode=overwrite");
  expect(restored.status, restored.text).toBe(200);
}

const TYPES = Object.keys(LINES) as (keyof typeof LINES)[];

const uuidOf = (n: number) => `01936b1e-7c3a-7f10-9a53-${String(n).padStart(12, "0")}`;

/** Copies of the line with a different id for each value, so that one file can contain them all. */
const identified = (type: keyof typeof LINES, n: number): Fields => {
  if (type === "folder" || type === "document") return { ...LINES[type], id: uuidOf(n + 1) };
  if (type === "memory") return { ...LINES[type], id: n + 2 };
  return type === "document_version" ? { ...LINES[type], version: n + 1 } : LINES[type];
};

/** A file in which a field of one kind of line has each of these values, and everything else is valid. */
const fileWith = (type: keyof typeof LINES, variants: Fields[]) =>
  fileOf(
    TYPES.flatMap((one) =>
      one === type ? variants : [{ ...LINES[one], ...(one === "document" && { version: 1000 }) }],
    ),
  );

const isAccepted = (line: Fields) => typeof readExportLine(JSON.stringify(line)) !== "string";

const FIELDS = TYPES.flatMap((type) =>
  Object.keys(LINES[type])
    .filter((field) => field !== "type")
    .map((field) => [type, field] as const),
);

const MODES = ["skip", "copy", "overwrite"];

test.for(FIELDS)("hostile values of %s.%s never fail a request, now or later", async ([type, field]) => {
  const client = await person();
  const next = random(FIELDS.length + field.length);
  const one = <Item>(of: Item[]) => of[Math.floor(next() * of.length)];
  const variants = HOSTILE.map((value, n): Fields => ({ ...identified(type, n), [field]: value }));
  const accepted = variants.filter(isAccepted);
  const refused = variants.filter((line) => !isAccepted(line));
  for (const line of [one(refused), one(refused)]) {
    if (line) expect(await send(client, fileWith(type, [line]))).toMatchObject({ status: 400 });
  }
  // The gate takes one of them for each field, the nightly run all.
  for (const mode of env.NIGHTLY ? MODES : [one(MODES)]) {
    const { status, text } = await send(client, fileWith(type, accepted), `?mode=${mode}`);
    expect([status, text]).toEqual([200, text]);
  }
  await useEverything(client);
});
