import { expect, test } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { changeDocumentTaskRoute, listDocumentTasksRoute } from "../../../src/features/documents/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { create, read, remove, versionsOf } from "../../kit/documents.ts";
import { hookOf } from "../../kit/hooks.ts";
import { keyOf } from "../../kit/scopes.ts";
import { write } from "../../kit/search.ts";

// The tasks of a text, seen and ticked one by one.

const TEXT = `Before everything:
- [ ] call **Grace**

# Trip

1. [x] tickets
   - [ ] [seats](https://example.com)

## Packing

> * [ ] passport
>   and visa

\`\`\`
- [ ] no task
\`\`\`
`;

const tasksOf = (who: Client, { id }: { id: string }, query = {}) =>
  who.ok(listDocumentTasksRoute, { params: { document_id: id }, query });

type Sent = { done: boolean; headers?: Record<string, string> };
const at = ({ id }: { id: string }, number: number, { done, headers = {} }: Sent) => ({
  params: { document_id: id, number: String(number) },
  json: { done },
  headers,
});

const tick = (who: Client, one: { id: string }, number: number, sent: Partial<Sent> = {}) =>
  who.ok(changeDocumentTaskRoute, at(one, number, { done: true, ...sent }));

test("a document's tasks are listed with what they say, their line and their heading", async () => {
  const ada = await person();
  const trip = await write(ada, "Trip", TEXT);
  const { items, ...counts } = await tasksOf(ada, trip);
  expect(items).toEqual([
    { number: 1, line: 2, done: false, text: "call Grace", section: null },
    { number: 2, line: 6, done: true, text: "tickets", section: "Trip" },
    { number: 3, line: 7, done: false, text: "seats", section: "Trip" },
    { number: 4, line: 11, done: false, text: "passport and visa", section: "Packing" },
  ]);
  expect(counts).toEqual({ total: 4, open: 3, done: 1, version: 1 });
  const page = await tasksOf(ada, trip, { limit: 2, offset: 2 });
  expect(page).toEqual({ ...counts, items: items.slice(2) });
  expect((await tasksOf(ada, trip, { offset: 9 })).items).toEqual([]);
});

test("what is no Markdown has no tasks", async () => {
  const ada = await person();
  const text = "- [ ] b";
  for (const content of [null, { a: text }, { format: "text", text }, { text: [text] }]) {
    const one = await create(ada, { content });
    expect(await tasksOf(ada, one)).toEqual({ items: [], total: 0, open: 0, done: 0, version: 1 });
    const detail = "number: there is no task 1: the document has none";
    const refusal = await ada.refusal(changeDocumentTaskRoute, at(one, 1, { done: true }));
    expect(refusal).toMatchObject({ status: 404, detail });
  }
});

test("ticking a task changes one character if it is open, and says which task of which version it is", async () => {
  const ada = await person();
  const trip = await write(ada, "Trip", TEXT);
  expect(await tick(ada, trip, 2)).toMatchObject({ version: 1, done: true });
  expect((await ada.ok(listActivityRoute)).items).toHaveLength(1);
  const answer = await ada.call(changeDocumentTaskRoute, at(trip, 4, { done: true }));
  expect(answer.body).toMatchObject({ number: 4, done: true, text: "passport and visa", section: "Packing" });
  expect(answer.body).toMatchObject({ document_id: trip.id, version: 2 });
  expect(answer.headers.get("ETag")).toBe('"v2"');
  const { content } = await read(ada, trip);
  expect(content).toEqual({ format: "markdown", text: TEXT.replace("* [ ] passport", "* [x] passport") });
  await tick(ada, trip, 4, { done: false });
  expect((await read(ada, trip)).content).toEqual(trip.content);
  await tick(ada, trip, 2, { done: false });
  expect(await tasksOf(ada, trip)).toMatchObject({ open: 4, done: 0, version: 4 });
});

test("line endings and the other fields of the content stay as they are", async () => {
  const ada = await person();
  const before = "\ufeff# A\r\n\r\n-\t[X] b\r\n- [ ] c";
  const content = { front_matter: { a: 1 }, format: "markdown", text: before, z: [1] };
  const one = await create(ada, { content });
  await tick(ada, one, 2);
  await tick(ada, one, 1, { done: false });
  const text = "\ufeff# A\r\n\r\n-\t[ ] b\r\n- [x] c";
  expect(Object.entries((await read(ada, one)).content ?? {})).toEqual(Object.entries({ ...content, text }));
});

test("a task is refused that the text does not have, or that was ticked in another version", async () => {
  const ada = await person();
  const one = await write(ada, "One", "- [ ] a");
  const refused = (number: number | string, sent: Sent) =>
    ada.refusal(changeDocumentTaskRoute, at(one, number as number, sent));
  const detail = "number: there is no task 2: the document has one";
  expect(await refused(2, { done: true })).toMatchObject({ status: 404, detail });
  for (const number of ["0", "-1", "1.5", "x", "99999999"])
    expect((await refused(number, { done: true })).status).toBe(422);
  const stale = { "If-Match": '"v2"' };
  expect((await refused(1, { done: true, headers: stale })).status).toBe(412);
  expect((await refused(1, { done: false, headers: stale })).status).toBe(412);
  expect(await tick(ada, one, 1, { headers: { "If-Match": '"v1"' } })).toMatchObject({ version: 2 });
  await remove(ada, one);
  expect((await refused(1, { done: false })).status).toBe(404);
  expect((await ada.refusal(listDocumentTasksRoute, { params: { document_id: one.id } })).status).toBe(404);
});

test("a key that may write but not read ticks nothing, because that would tell what the text has", async () => {
  const ada = await person();
  const one = await write(ada, "One", "- [ ] a");
  const writer = await keyOf(ada, ["docs:write"]);
  const refusal = await writer.refusal(changeDocumentTaskRoute, at(one, 1, { done: true }));
  expect(refusal).toMatchObject({ status: 403, detail: expect.stringContaining("docs:read") });
  const both = await keyOf(ada, ["docs:read", "docs:write"]);
  expect(await tick(both, one, 1)).toMatchObject({ done: true });
});

test("the same key ticks once and gets the same answer, even when the text is another by then", async () => {
  const ada = await person();
  const one = await write(ada, "One", "- [ ] a\n- [ ] b");
  const headers = { "Idempotency-Key": "once" };
  const first = await tick(ada, one, 1, { headers });
  await tick(ada, one, 1, { done: false });
  expect(await tick(ada, one, 1, { headers })).toEqual(first);
  expect(await tasksOf(ada, one)).toMatchObject({ open: 2, version: 3 });
});

test("a tick is a change like any other: a version, an entry that can be undone, an event", async () => {
  const ada = await person();
  const { receiver, hook } = await hookOf(ada);
  const one = await write(ada, "One", "- [ ] a");
  const { headers } = await ada.call(changeDocumentTaskRoute, at(one, 1, { done: true }));
  const [entry] = (await ada.ok(listActivityRoute)).items;
  expect(entry).toMatchObject({ verb: "changed", record_id: one.id, version_before: 1, version_after: 2 });
  expect(headers.get("Change-Id")).toBe(String(entry?.id));
  await ada.ok(undoActivityRoute, { json: { change_id: String(entry?.id) } });
  expect(await read(ada, one)).toMatchObject({ content: one.content, version: 3 });
  await expect
    .poll(async () => (await receiver.messages(hook.secret)).map(({ type }) => type))
    .toEqual(["document.created", "document.updated", "document.updated"]);
});

test("what is ticked in one edit session is one change", async () => {
  const ada = await person();
  const one = await write(ada, "One", "- [ ] a\n- [ ] b\n- [ ] c");
  const headers = { "X-Sitting": "a-session-of-ticks" };
  for (const number of [1, 2, 3]) await tick(ada, one, number, { headers });
  expect(await versionsOf(ada, one)).toEqual([1]);
});

test("two people who tick different tasks of the same version at once both succeed", async () => {
  const ada = await person();
  const one = await write(ada, "One", "- [ ] a\n- [ ] b\n- [ ] c");
  await Promise.all([1, 2, 3].map((number) => tick(ada, one, number)));
  expect(await tasksOf(ada, one)).toMatchObject({ open: 0, done: 3, version: 4 });
});
