import { expect, test } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { undoChangesTool } from "../../../src/features/activity/tools.ts";
import { createApiKeyRoute } from "../../../src/features/api-keys/routes.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { remember, updateMemory } from "../../../src/features/memories/tools.ts";
import type { Ctx } from "../../../src/platform/core/ctx.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf } from "../../kit/ctx.ts";
import { create, read, titlesOf } from "../../kit/documents.ts";
import { initialize, stateless, use } from "../../kit/mcp.ts";
import { bearer, connect } from "../../kit/oauth.ts";

// What assistants see of the activity, and what they may take back: only what their own connection did.

const ADA = "ada@example.com";
const LONG_AGO = "2020-01-01";

type Change = { id: string; by: string; change: string; record: string; title?: string; undone?: true };

test("what a person has filled in at once is one line, and what came after it has its own", async () => {
  const ada = await person({ email: ADA });
  for (let at = 1; at <= 20; at++) await create(ada, { title: `Page ${at}` });
  const record = { memory_type: "decision", topic: "Green", content: "It stays" } as const;
  await ada.ok(createMemoryRoute, { json: record });
  const mine = stateless((await connect(ADA)).mcp);
  await use(mine, "create_document", { title: "By Claude", text: "x" });
  const { changes } = (await use(mine, "list_changes", { since: LONG_AGO })) as { changes: Change[] };
  expect(changes.map(({ title, change }) => title ?? change)).toEqual([
    "By Claude",
    expect.stringMatching(
      /^created 1 record, 20 documents: mem:1 "Green", doc:\S{36} "Page 20", doc:\S{36} "Page 19" and 18 more \(with limit 20 each has a line\)$/,
    ),
  ]);
  expect(changes[1]).toMatchObject({ id: "1-21" });
  const apart = await use(mine, "list_changes", { since: LONG_AGO, limit: 20 });
  const lines = apart.changes as Change[];
  expect(lines).toHaveLength(20);
  for (const { record } of lines) expect(record).toMatch(/^(?:mem|doc):/);
});

test("a connection takes back its own changes, and no others", async () => {
  const ada = await person({ email: ADA });
  const [first, second] = [await connect(ADA), await connect(ADA)];
  const mine = stateless(first.mcp);
  const other = await initialize(second.mcp);
  await create(ada, { title: "By hand" });
  await use(other, "create_document", { title: "By the other", text: "x" });
  await use(mine, "create_document", { title: "By this one", text: "x" });
  await use(mine, "remember", { memory_type: "decision", topic: "Colour", content: "Green" });
  const all = (await use(mine, "list_changes", { since: LONG_AGO })).changes as Change[];
  expect(all.map(({ title }) => title)).toEqual(["Colour", "By this one", "By the other", "By hand"]);
  const own = (await use(mine, "list_changes", { since: LONG_AGO, mine: true })).changes as Change[];
  expect(own.map(({ title }) => title)).toEqual(["Colour", "By this one"]);
  const refused = await use(mine, "undo_changes", { ids: all.slice(2).map(({ id }) => id) });
  expect(refused.results).toMatchObject([{ outcome: "not_possible" }, { outcome: "not_possible" }]);
  expect(await use(mine, "undo_changes", { since: LONG_AGO })).toMatchObject({ undone: 2 });
  expect((await titlesOf(ada)).sort()).toEqual(["By hand", "By the other"]);
  expect(await use(mine, "undo_changes", { since: LONG_AGO })).toMatchObject({ undone: 0, results: [] });
  expect((await use(mine, "undo_changes", {})).refused).toContain("no changes left to undo");
  expect((await use(mine, "list_changes", { since: "soonish" })).refused).toContain("since");
});

test("a person takes back everything of one connection, by its id", async () => {
  const ada = await person({ email: ADA });
  const { mcp } = await connect(ADA);
  const claude = stateless(mcp);
  const { id } = await create(ada, { title: "Mine", content: { text: "One" } });
  await use(claude, "edit_document", { id, operation: "append", text: "Two" });
  await use(claude, "edit_document", { id, operation: "append", text: "Three" });
  await use(claude, "create_document", { title: "Another", text: "x" });
  const { items } = await ada.ok(listActivityRoute, { query: { actor: "assistant" } });
  expect(items).toHaveLength(3);
  const client = items[0]?.actor.id;
  expect(client).toBeTruthy();
  const answer = await ada.ok(undoActivityRoute, { json: { client, since: LONG_AGO } });
  expect(answer).toMatchObject({ undone: 3, not_undone: 0, has_more: false });
  expect((await read(ada, { id })).content).toEqual({ text: "One" });
  expect(await titlesOf(ada)).toEqual(["Mine"]);
});

test("a token sees and takes back only the kinds that it has the scopes for", async () => {
  const ada = await person({ email: ADA });
  const full = stateless((await connect(ADA)).mcp);
  await use(full, "create_document", { title: "DOCSECRET", text: "x" });
  await use(full, "remember", { memory_type: "decision", topic: "MEMSECRET", content: "x" });
  for (const [scope, secret] of [
    ["docs:read", "MEMSECRET"],
    ["memory:read", "DOCSECRET"],
  ] as const) {
    const asker = stateless((await connect(ADA, [scope])).mcp);
    expect(JSON.stringify(await use(asker, "list_changes", { since: LONG_AGO }))).not.toContain(secret);
    const names = (await asker.ask("tools/list", {})).result?.tools as { name: string }[];
    expect(names.map(({ name }) => name)).not.toContain("undo_changes");
  }
  const { key } = await ada.ok(createApiKeyRoute, {
    json: { name: "Writer", scopes: ["docs:read", "docs:write", "memory:read"] },
  });
  const writer = stateless(bearer(key));
  await use(writer, "create_document", { title: "By key", text: "x" });
  const listed = (await use(writer, "list_changes", { since: LONG_AGO, mine: true })).changes as Change[];
  expect(listed).toMatchObject([{ by: "Writer", title: "By key" }]);
  expect(await use(writer, "undo_changes", { since: LONG_AGO })).toMatchObject({ undone: 1 });
});

test("a change by a key is that of the key, by its name, and its changes are found by its id", async () => {
  const ada = await person();
  const made = await ada.ok(createApiKeyRoute, { json: { name: "Script", scopes: ["docs:write"] } });
  const headers = { "X-Source-Type": "cli", "X-Client-Name": "Obsidian" };
  await create(bearer(made.key), { title: "By key" }, headers);
  await create(ada, { title: "By hand" });
  const { items } = await ada.ok(listActivityRoute, { query: { client: made.id } });
  expect(items).toMatchObject([
    { title: "By key", actor: { kind: "api_key", id: made.id, client_name: "Obsidian" } },
  ]);
  expect((await ada.ok(listActivityRoute, { query: { client: "Obsidian" } })).items).toEqual(items);
  expect((await bearer(made.key).call(listActivityRoute)).status).toBe(403);
});

const as = async (who: Client, id: string): Promise<Ctx> => ({
  ...(await ctxOf(who)),
  actor: { kind: "assistant", id, source_type: "mcp" },
});

const SLIDES = { memory_type: "commitment", topic: "Slides", content: "One", project: "Apollo" } as const;

test("numbers of other accounts, of other connections, a thousand, or twice: nothing else is undone", async () => {
  const [ada, bob] = [await person(), await person()];
  const [mine, other, theirs] = [await as(ada, "one"), await as(ada, "two"), await as(bob, "one")];
  await callTool(theirs, remember, {
    records: Array.from({ length: 5 }, (_, n) => ({ ...SLIDES, topic: `Bob${n}` })),
  });
  await callTool(mine, remember, SLIDES);
  await callTool(other, updateMemory, { ids: [1], content: "Two" });
  const outcomes = async (ctx: Ctx, ids: unknown) =>
    (await callTool(ctx, undoChangesTool, { ids })).results.map(({ outcome }) => outcome);
  expect(await outcomes(mine, [2, 3, 4, 5])).toEqual(["not_possible", "not_found", "not_found", "not_found"]);
  expect(await outcomes(mine, [1, 1, "1"])).toEqual(["changed_since"]);
  const many = Array.from({ length: 1000 }, (_, n) => n + 1);
  await expect(callTool(mine, undoChangesTool, { ids: many })).rejects.toThrow("100");
  expect((await ada.call(undoActivityRoute, { json: { ids: [...many, 1001] } })).status).toBe(422);
  expect((await ada.call(undoActivityRoute, { json: { ids: [0] } })).status).toBe(422);
  expect(await outcomes(mine, [0, -1, 2 ** 40])).toEqual(["not_found", "not_found", "not_found"]);
  const future = await callTool(mine, undoChangesTool, { since: "2999-01-01" });
  expect(future).toMatchObject({ undone: 0, results: [] });
  expect((await ada.ok(listActivityRoute)).items).toHaveLength(2);
  expect((await bob.ok(listActivityRoute)).items).toHaveLength(5);
});
