import { expect, test } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { createApiKeyRoute } from "../../../src/features/api-keys/routes.ts";
import {
  createDocumentRoute,
  getDocumentRoute,
  listDocumentsRoute,
} from "../../../src/features/documents/routes.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { Client, person } from "../../kit/client.ts";
import { initialize, stateless, use } from "../../kit/mcp.ts";
import { connect } from "../../kit/oauth.ts";

// What assistants see of the ledger, and what they may take back: only what their own connection did.

const ADA = "ada@example.com";
const LONG_AGO = "2020-01-01";

type Change = { id: string; by: string; change: string; record: string; title?: string; undone?: true };
type Result = { id: string; outcome: string; detail?: string };

const holder = (token: string) =>
  new Client({ access_token: token, refresh_token: "", token_type: "bearer", expires_in: 0 });

test("what somebody has filled in at once is one line, and what came after it has its own", async () => {
  const ada = await person({ email: ADA });
  for (let at = 1; at <= 20; at++) await ada.ok(createDocumentRoute, { json: { title: `Page ${at}` } });
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
  await ada.ok(createDocumentRoute, { json: { title: "By hand" } });
  await use(other, "create_document", { title: "By the other", text: "x" });
  await use(mine, "create_document", { title: "By this one", text: "x" });
  await use(mine, "remember", { memory_type: "decision", topic: "Colour", content: "Green" });
  const all = (await use(mine, "list_changes", { since: LONG_AGO })).changes as Change[];
  expect(all.map(({ title }) => title)).toEqual(["Colour", "By this one", "By the other", "By hand"]);
  const own = (await use(mine, "list_changes", { since: LONG_AGO, mine: true })).changes as Change[];
  expect(own.map(({ title }) => title)).toEqual(["Colour", "By this one"]);
  const refused = await use(mine, "undo_changes", { ids: all.slice(2).map(({ id }) => id) });
  expect((refused.results as Result[]).map(({ outcome }) => outcome)).toEqual([
    "not_possible",
    "not_possible",
  ]);
  const done = await use(mine, "undo_changes", { since: LONG_AGO });
  expect(done).toMatchObject({ undone: 2 });
  const { items } = await ada.ok(listDocumentsRoute);
  expect(items.map(({ title }) => title).sort()).toEqual(["By hand", "By the other"]);
  expect(await use(mine, "undo_changes", { since: LONG_AGO })).toMatchObject({ undone: 0, results: [] });
  expect((await use(mine, "undo_changes", {})).refused).toContain("no changes left to undo");
  expect((await use(mine, "list_changes", { since: "soonish" })).refused).toContain("since");
});

test("a person takes back everything of one connection, by its id", async () => {
  const ada = await person({ email: ADA });
  const { mcp } = await connect(ADA);
  const claude = stateless(mcp);
  const { id } = await ada.ok(createDocumentRoute, { json: { title: "Mine", content: { text: "One" } } });
  await use(claude, "edit_document", { id, operation: "append", text: "Two" });
  await use(claude, "edit_document", { id, operation: "append", text: "Three" });
  await use(claude, "create_document", { title: "Another", text: "x" });
  const { items } = await ada.ok(listActivityRoute, { query: { actor: "assistant" } });
  expect(items).toHaveLength(3);
  const client = items[0]?.actor.id;
  expect(client).toBeTruthy();
  const answer = await ada.ok(undoActivityRoute, { json: { client, since: LONG_AGO } });
  expect(answer).toMatchObject({ undone: 3, not_undone: 0, has_more: false });
  const document = await ada.ok(getDocumentRoute, { params: { document_id: id } });
  expect(document.content).toEqual({ text: "One" });
  expect((await ada.ok(listDocumentsRoute)).total).toBe(1);
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
  const writer = stateless(holder(key));
  await use(writer, "create_document", { title: "By key", text: "x" });
  const listed = (await use(writer, "list_changes", { since: LONG_AGO, mine: true })).changes as Change[];
  expect(listed).toMatchObject([{ by: "Writer", title: "By key" }]);
  expect(await use(writer, "undo_changes", { since: LONG_AGO })).toMatchObject({ undone: 1 });
});

test("a change by a key is that of the key, by its name, and its changes are found by its id", async () => {
  const ada = await person();
  const made = await ada.ok(createApiKeyRoute, { json: { name: "Script", scopes: ["docs:write"] } });
  await holder(made.key).ok(createDocumentRoute, {
    json: { title: "By key" },
    headers: { "X-Source-Type": "cli", "X-Client-Name": "Obsidian" },
  });
  await ada.ok(createDocumentRoute, { json: { title: "By hand" } });
  const { items } = await ada.ok(listActivityRoute, { query: { client: made.id } });
  expect(items).toMatchObject([
    { title: "By key", actor: { kind: "api_key", id: made.id, client_name: "Obsidian" } },
  ]);
  expect((await ada.ok(listActivityRoute, { query: { client: "Obsidian" } })).items).toEqual(items);
  expect((await holder(made.key).call(listActivityRoute)).status).toBe(403);
});

test("a time may be a day in words, and what is none is refused", async () => {
  const mine = stateless(await person());
  await use(mine, "create_document", { title: "Now", text: "x" });
  const listed = async (asked: Record<string, unknown>) =>
    ((await use(mine, "list_changes", asked)).changes as Change[]).length;
  for (const since of ["yesterday", "last Friday", "last week", "today"])
    expect(await listed({ since }), since).toBe(1);
  expect(await listed({ since: "last week", until: "yesterday" })).toBe(0);
  for (const since of ["soonish", "yesterday at noon"])
    expect((await use(mine, "list_changes", { since })).refused).toMatch(/^since: must be a day or a time/);
});
