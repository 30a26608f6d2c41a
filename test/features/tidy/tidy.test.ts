import { expect, test } from "vitest";
import { undoActivityRoute } from "../../../src/features/activity/routes.ts";
import {
  createDocumentRoute,
  deleteDocumentRoute,
  listDocumentsRoute,
  updateDocumentRoute,
} from "../../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { closeMemories } from "../../../src/features/memories/tools.ts";
import { keepFindingRoute, listFindingsRoute, lookRoute } from "../../../src/features/tidy/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { exported, send } from "../../kit/files.ts";
import { stateless, use } from "../../kit/mcp.ts";
import { keyOf } from "../../kit/scopes.ts";
import { countedOf, freshOf } from "../../kit/usage.ts";

const record = async (client: Client, topic: string, content: string, more = {}): Promise<number> => {
  const json = { memory_type: "context", topic, content, ...more };
  return (await client.ok(memories.createMemoryRoute, { json })).id;
};

const found = (client: Client, query: Record<string, string> = {}) =>
  client.ok(listFindingsRoute, { query: { limit: 100, ...query } });

/** What is listed: the kinds with the ids of the things. */
const listed = async (client: Client, query: Record<string, string> = {}) =>
  (await found(client, query)).items.map(({ kind, items }) => [kind, ...items.map(({ id }) => id)]);

const mem = (...ids: number[]) => ids.map((id) => ({ type: "memory", id: String(id) }));

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

const STORE = "We keep our data in SQLite on one machine";

/** An account with something of each kind. */
async function untidy(client: Client) {
  const first = await record(client, "The store", STORE);
  const second = await record(client, "The store", `${STORE}, at least`);
  const rule = { memory_type: "decision" };
  const before = await record(client, "The release", "We release the app on Mondays before noon", rule);
  const after = await record(client, "The release", "We release the app on Fridays before noon", rule);
  const like = { memory_type: "preference" };
  const tea = await record(client, "What Grace drinks", "Grace drinks tea in the morning", like);
  const none = await record(client, "Grace and tea", "Grace no longer drinks tea in the morning", like);
  const done = await record(client, "Send the slides", "Done, she has them", { memory_type: "commitment" });
  const word = await record(client, "Heating", "The valve is behind the shelf in the kitchen");
  const secret = await record(client, "Wifi in the office", "The wifi password is Sommer2026");
  const long = {
    format: "markdown",
    text: "Ada took the photographs to the garden before the holidays began",
  };
  const at = { created_at: "2024-01-01T00:00:00Z", updated_at: "2024-03-01T00:00:00Z" };
  const json = { title: "Photographs of the garden", content: long };
  const { id: old } = await client.ok(createDocumentRoute, { json: { ...json, ...at } });
  const { id: copy } = await client.ok(createDocumentRoute, {
    json: { ...json, title: "Photographs (copy)" },
  });
  return { first, second, before, after, tea, none, done, word, secret, old, copy };
}

test("what can be tidied up is found, each with its reason, and nothing is changed", async () => {
  const ada = await person();
  expect(await found(ada)).toMatchObject({ items: [], looked_at: null });
  const ids = await untidy(ada);
  const before = await exported(ada);
  expect(await ada.ok(lookRoute)).toMatchObject({ records: 9, documents: 2, left_out: 0 });
  expect((await exported(ada)).split("\n").slice(1, -2)).toEqual(before.split("\n").slice(1, -2));
  const { items, total, counts } = await found(ada);
  const named = items.map(({ kind, items: about }) => [kind, ...about.map(({ id }) => id)]);
  // Of two documents with the same text, either stays.
  const sorted = (rows: unknown[][]) =>
    rows.map((row) => row.map(String)).map(([kind, ...of]) => (kind === "double_document" ? of.sort() : of));
  expect(items.map(({ kind }) => kind)).toEqual([
    ...["secret", "double_record", "double_document", "contradiction"],
    ...["old_preference", "said_done", "one_word_topic", "unused_document"],
  ]);
  expect(sorted(named)).toEqual(
    sorted([
      ["secret", ids.secret],
      ["double_record", ids.second, ids.first],
      ["double_document", ids.copy, ids.old],
      ["contradiction", ids.after, ids.before],
      ["old_preference", ids.none, ids.tea],
      ["said_done", ids.done],
      ["one_word_topic", ids.word],
      ["unused_document", ids.old],
    ]),
  );
  expect(total).toBe(8);
  expect(counts.map(({ total: of }) => of)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  const [secret] = items;
  expect(JSON.stringify(secret)).not.toContain("Sommer");
  expect(items.map(({ reason }) => reason)).toEqual(
    expect.arrayContaining([expect.stringContaining("no longer"), expect.stringContaining("2024-03-01")]),
  );
});

test("a double is merged by the operations that there are, taken back, kept, and not asked about again", async () => {
  const ada = await person();
  const { first, second } = await untidy(ada);
  await ada.ok(lookRoute);
  const double = ["double_record", String(second), String(first)];
  const doubles = { kind: "double_record" };
  const merged = await ada.call(memories.changeMemoriesRoute, {
    json: { operations: [{ operation: "archive", id: first, note: `Merged into #${second}` }] },
  });
  expect(await listed(ada, doubles)).toEqual([]);
  await ada.ok(undoActivityRoute, { json: { change_id: merged.headers.get("Change-Id") } });
  expect(await listed(ada, doubles)).toEqual([double]);

  const json = { kind: "double_record", items: mem(first, second) };
  for (const _ of [1, 2]) expect((await ada.call(keepFindingRoute, { json })).status).toBe(204);
  expect(await listed(ada, doubles)).toEqual([]);
  await ada.ok(lookRoute);
  expect(await listed(ada, doubles)).toEqual([]);
  expect(await listed(ada, { kept: "true" })).toEqual([
    ["double_record", ...[first, second].map(String).sort()],
  ]);
  const number = await numberOf(ada);
  expect(await countedOf(number)).toEqual(await freshOf(number));

  const third = await record(ada, "The store", STORE);
  await ada.ok(lookRoute);
  expect(await listed(ada, doubles), "with another one, it is another question").toHaveLength(1);
  await ada.ok(memories.deleteMemoryRoute, { params: { memory_id: String(third) } });
  expect(await listed(ada, doubles)).toEqual([]);

  await ada.call(keepFindingRoute, { json: { ...json, keep: false } });
  await ada.ok(lookRoute);
  expect(await listed(ada, doubles)).toEqual([double]);
  expect(await countedOf(number)).toEqual(await freshOf(number));
});

test("what was changed since the look is no longer listed", async () => {
  const ada = await person();
  const { word, old, done } = await untidy(ada);
  await ada.ok(lookRoute);
  await ada.ok(memories.updateMemoryRoute, {
    params: { memory_id: String(word) },
    json: { topic: "The heating at home" },
  });
  await ada.ok(memories.resolveMemoryRoute, { params: { memory_id: String(done) } });
  const change = async (json: object) => {
    await ada.ok(updateDocumentRoute, { params: { document_id: old }, json });
    return (await listed(ada)).map(([kind]) => kind);
  };
  const kinds = await change({ tags: ["garden"] });
  expect(kinds).not.toContain("one_word_topic");
  expect(kinds).not.toContain("said_done");
  // Where it is filed says nothing of its text, but what stands on top has a use.
  expect(kinds).toContain("unused_document");
  expect(await change({ tags: ["Pinned"] })).not.toContain("unused_document");
  expect(await change({ tags: [] })).toContain("unused_document");
  expect(await change({ title: "The garden" })).not.toContain("unused_document");
});

test("a document without links is found where most have some, unless it is new, pinned, used or apart, until it is linked", async () => {
  const ada = await person();
  const at = { created_at: "2026-01-01T00:00:00Z", updated_at: daysAgo(29) };
  const note = async (title: string, text = title, more: object = {}) => {
    const json = { title, content: { format: "markdown", text }, ...at, ...more };
    return (await ada.ok(createDocumentRoute, { json })).id;
  };
  const folder = async (name: string, parent_id: string | null = null) =>
    (await ada.ok(createFolderRoute, { json: { name, parent_id } })).id;
  const alone = await note("Alone", "A bean by itself [here](#alone) [[#alone]] [[Alone]]");
  const used = await note("Used");
  await record(ada, "Beans", "They are planted in May", { document_id: used });
  await note("New", "A pea by itself", { updated_at: daysAgo(27) });
  await note("Pinned", "A lentil by itself", { tags: ["Pinned"] });
  await note("2026-05", "A month by itself");
  for (const day of [1, 2, 3, 4, 5, 6, 7, 8])
    await note(`2026-03-0${day}`, `On day ${day} I was in [[the woods ${day}]]`);
  await note("Form", "A form by itself", { folder_id: await folder("Letters", await folder("templates")) });
  await note("Unsorted", "A scrap by itself", { folder_id: await folder("Inbox") });
  const filed = await note("Filed", "A map by itself", { folder_id: await folder("Templates of maps") });
  const orphans = async () =>
    (await listed(ada, { kind: "unlinked_document" })).map(([, id]) => id).toSorted();
  const look = async () => void (await ada.ok(lookRoute));
  await look();
  expect(await orphans()).toEqual([]);
  for (const n of [1, 2, 3, 4]) await note(`Part ${n}`, `The ${n}. part is in [[Whole]]`);
  await look();
  expect(await orphans()).toEqual([]);
  const whole = await note("Whole", "All of it");
  const wish = await note("Wish", "It asks for [[What is not there]]");
  await look();
  expect(await orphans()).toEqual([alone, filed].toSorted());
  const [finding] = (await found(ada, { kind: "unlinked_document" })).items;
  expect(finding?.reason).toContain(daysAgo(29).slice(0, 10));
  expect(finding?.items[0]).not.toHaveProperty("has_links");
  await note("Map room", "It has [[Filed]]", { updated_at: daysAgo(1) });
  expect(await orphans()).toEqual([alone]);
  await ada.call(keepFindingRoute, {
    json: { kind: "unlinked_document", items: [{ type: "document", id: alone }] },
  });
  expect(await orphans()).toEqual([]);
  // What only documents in the trash link to has no links.
  for (const id of [
    wish,
    ...(await ada.ok(listDocumentsRoute, { query: { limit: 100 } })).items.flatMap(({ id: part, title }) =>
      /^(?:Part|Map)/.test(title) ? part : [],
    ),
  ])
    await ada.call(deleteDocumentRoute, { params: { document_id: id } });
  for (const n of [1, 2, 3, 4, 5, 6])
    await note(`Ring ${n}`, `The ring leads from ${n} to [[Ring ${(n % 6) + 1}]]`);
  await look();
  expect(await orphans()).toEqual([filed, whole].toSorted());
});

test("only a finding of one's own can be kept, of the kind and the things that it has", async () => {
  const [ada, eve] = [await person(), await person()];
  const { word } = await untidy(ada);
  await ada.ok(lookRoute);
  const json = { kind: "one_word_topic", items: mem(word) };
  for (const [client, sent] of [
    [eve, json],
    [ada, { ...json, kind: "secret" }],
    [ada, { ...json, items: mem(word, word + 1) }],
  ] as const)
    expect(await client.refusal(keepFindingRoute, { json: sent })).toEqual({
      ...{ status: 404, detail: "Not found" },
    });
  await eve.ok(lookRoute);
  expect(await listed(eve)).toEqual([]);
});

test("a page of findings, and those of one kind", async () => {
  const ada = await person();
  for (const topic of ["Heating", "Parking", "Catering"])
    await record(ada, topic, `${topic} is in the cellar`);
  await ada.ok(lookRoute);
  const page = await found(ada, { limit: "2", offset: "2" });
  expect([page.items.length, page.total]).toEqual([1, 3]);
  expect(await listed(ada, { kind: "secret" })).toEqual([]);
  expect((await found(ada, { kind: "secret" })).counts).toEqual([{ kind: "one_word_topic", total: 3 }]);
});

test("a list needs both scopes that read, and a look both that write", async () => {
  const ada = await person();
  const status = async (scopes: string[], route: typeof lookRoute | typeof listFindingsRoute) =>
    (await (await keyOf(ada, scopes)).call(route)).status;
  for (const scopes of [["docs:read"], ["memory:read"]])
    expect(await status(scopes, listFindingsRoute)).toBe(403);
  for (const scopes of [["docs:read", "memory:read"], ["docs:write"], ["memory:write"]])
    expect(await status(scopes, lookRoute)).toBe(403);
  expect(await status(["docs:read", "memory:read"], listFindingsRoute)).toBe(200);
  expect(await status(["docs:write", "memory:write"], lookRoute)).toBe(204);
});

test("what is kept is exported and imported, in each mode with the ids that things have there", async () => {
  const [ada, eve] = [await person(), await person()];
  const { word, old, secret } = await untidy(ada);
  await ada.ok(lookRoute);
  await ada.call(keepFindingRoute, { json: { kind: "one_word_topic", items: mem(word) } });
  await ada.call(keepFindingRoute, {
    json: { kind: "unused_document", items: [{ type: "document", id: old }] },
  });
  const file = await exported(ada);
  const none = { created: 0, overwritten: 0, skipped: 0, remapped: 0 };
  expect((await send(eve, file)).result).toMatchObject({ kept_findings: { ...none, created: 2 } });
  expect((await send(eve, file)).result).toMatchObject({ kept_findings: { ...none, skipped: 2 } });
  await eve.ok(lookRoute);
  const kinds = async () => (await listed(eve)).map(([kind]) => kind);
  expect(await kinds()).not.toContain("one_word_topic");
  expect(await kinds()).not.toContain("unused_document");
  expect(await listed(eve, { kind: "secret" })).toEqual([["secret", String(secret)]]);
  expect((await send(eve, file, "?mode=copy")).result).toMatchObject({
    kept_findings: { ...none, created: 2, remapped: 2 },
  });
  await eve.ok(lookRoute);
  expect(await kinds()).not.toContain("one_word_topic");
  const number = await numberOf(eve);
  expect(await countedOf(number)).toEqual(await freshOf(number));
});

type Tidied = { findings: { ids: string[]; titles: string[]; reason: string; call: string }[] };

test("an assistant is told what is untidy, why, and which call settles it, which then does", async () => {
  const ada = await person();
  for (const [topic, content] of [
    ["The store", STORE],
    ["The store", `${STORE}, at least`],
    ["Wifi in the office", "The wifi password is Sommer2026"],
  ] as const)
    await record(ada, topic, content);
  const mcp = stateless(ada);
  const { findings } = (await use(mcp, "tidy")) as Tidied;
  expect(findings).toHaveLength(2);
  expect(JSON.stringify(findings)).not.toContain("Sommer");
  const [, double] = findings;
  expect(double).toMatchObject({ ids: ["mem:2", "mem:1"], titles: ["The store", "The store"] });
  expect(double?.reason).toContain("in common");
  const [, name = "", id = ""] = /^(\w+) ids (\S+) outcome archived/.exec(double?.call ?? "") ?? [];
  expect(name).toBe(closeMemories.name);
  await use(mcp, name, { ids: [id], outcome: "archived" });
  expect(((await use(mcp, "tidy")) as Tidied).findings).toHaveLength(1);
});

test("a key that may read only records or only documents hears of those alone", async () => {
  const ada = await person();
  await record(ada, "Heating", "Behind the shelf");
  const reader = stateless(await keyOf(ada, ["docs:read"]));
  expect(((await use(reader, "tidy")) as Tidied).findings).toEqual([]);
  const other = stateless(await keyOf(ada, ["memory:read"]));
  expect(((await use(other, "tidy")) as Tidied).findings).toHaveLength(1);
});
