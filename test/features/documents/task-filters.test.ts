import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { TaskFilter } from "../../../src/contract/document.ts";
import { listDocuments } from "../../../src/features/documents/list-store.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { openDatabase } from "../../../src/platform/db/call.ts";
import { openSession } from "../../../src/platform/db/session.ts";
import { type Client, person } from "../../kit/client.ts";
import { ctxOf, numberOf } from "../../kit/ctx.ts";
import { create } from "../../kit/documents.ts";
import { cron } from "../../kit/hooks.ts";
import { metered } from "../../kit/meter.ts";
import { make } from "../../kit/records.ts";
import { find, search, write } from "../../kit/search.ts";

// Documents are found by their tasks: those with an open one, those with all of them done, those with any.

const FILTERS: Record<TaskFilter, string[]> = {
  any: ["all done", "none done", "some done"],
  done: ["all done"],
  open: ["none done", "some done"],
};

async function fill(ada: Client): Promise<void> {
  await write(ada, "all done", "walrus\n- [x] a\n- [X] b");
  await write(ada, "none done", "walrus\n- [ ] a");
  await write(ada, "some done", "walrus\n- [ ] a\n- [x] b\n- [x] c");
  await write(ada, "without tasks", "walrus [ ] [x]\n\n    - [ ] code");
  await create(ada, { title: "without text" });
}

const list = (who: Client, query: Record<string, string> = {}) =>
  who.ok(documents.listDocumentsRoute, { query: { sort: "title", ...query } });
const titles = ({ items }: { items: { title: string }[] }) => items.map(({ title }) => title);

test("a list has only documents with such tasks, and says how many each has", async () => {
  const ada = await person();
  await fill(ada);
  await fill(await person());
  for (const [tasks, expected] of Object.entries(FILTERS)) {
    const found = await list(ada, { tasks });
    expect([titles(found), found.total, found.notes]).toEqual([expected, expected.length, undefined]);
  }
  expect((await list(ada)).items.map(({ tasks }) => tasks)).toEqual([
    { open: 0, done: 2 },
    { open: 1, done: 0 },
    { open: 1, done: 2 },
    undefined,
    undefined,
  ]);
  expect(titles(await list(ada, { tasks: "open", source_type: "web" }))).toEqual([]);
  expect(await ada.refusal(documents.listDocumentsRoute, { query: { tasks: "some" } })).toMatchObject({
    status: 422,
  });
});

test("a search has filters for tasks, alone, in any case, and beside words and other filters", async () => {
  const ada = await person();
  await fill(ada);
  await fill(await person());
  for (const [tasks, expected] of Object.entries(FILTERS)) {
    expect((await find(ada, `task:${tasks}`)).sort()).toEqual(expected);
    expect((await find(ada, `walrus TASK:${tasks.toUpperCase()}`)).sort()).toEqual(expected);
  }
  expect((await find(ada, "has:task")).sort()).toEqual(FILTERS.any);
  expect(await find(ada, "has:task title:some")).toEqual(["some done"]);
  expect(await find(ada, "task:open task:done")).toEqual([]);
  expect((await find(ada, "task:open has:task -b")).sort()).toEqual(["none done"]);
  expect((await search(ada, "walrus task:open")).interpreted).toMatchObject({
    words: ["walrus"],
    filters: [{ name: "task", value: "open" }],
  });
});

test("a search says what a filter for tasks cannot do", async () => {
  const ada = await person();
  await fill(ada);
  await make(ada, { topic: "walrus", content: "- [ ] a" });
  const notes = async (q: string, query = {}) => (await search(ada, q, query)).notes;
  expect(await notes("task:open")).toBeUndefined();
  expect(await notes("task:later")).toEqual(["task:later matches nothing. Possible values: open, done, any"]);
  expect(await notes("has:picture")).toEqual(["has:picture matches nothing. Possible values: task, file"]);
  expect(await notes("walrus -task:open")).toEqual([
    "-task:open has no effect: only words can be excluded, not filters",
  ]);
  expect(await notes("walrus tasks:open")).toEqual([
    "tasks:open is not a filter and was searched for as text: use task: (open, done, any)",
  ]);
  expect(await notes("walrus task:open", { type: "all" })).toEqual([
    "Only documents are shown, because records have no tasks.",
  ]);
  expect((await search(ada, "walrus task:open", { type: "all" })).total).toBe(2);
  expect(await notes("has:task", { type: "memories" })).toEqual([
    "has:task applies to documents, which this search does not include: use type=all",
  ]);
});

const forget = (owner: number) =>
  env.DB.prepare("UPDATE documents SET open_tasks = NULL, done_tasks = NULL WHERE owner = ?")
    .bind(owner)
    .run();

test("documents of an earlier version are counted by the cron handler, and answers say so until then", async () => {
  const [ada, grace] = [await person(), await person()];
  await fill(ada);
  await forget(await numberOf(ada));
  await fill(grace);
  const note =
    "5 older documents have not been checked for tasks yet and may be missing here: try again later";
  expect(await list(ada, { tasks: "open" })).toEqual({ items: [], total: 0, notes: [note] });
  expect((await list(ada)).items.some(({ tasks }) => tasks)).toBe(false);
  expect(await search(ada, "has:task")).toMatchObject({ total: 0, notes: [note] });
  expect((await search(ada, "walrus")).notes).toBeUndefined();
  expect(await list(grace, { tasks: "open" })).toMatchObject({ total: 2 });
  expect((await list(grace, { tasks: "open" })).notes).toBeUndefined();
  // What is written meanwhile is counted at once.
  await write(ada, "new", "- [ ] a");
  expect(titles(await list(ada, { tasks: "open" }))).toEqual(["new"]);
  await cron();
  expect(titles(await list(ada, { tasks: "open" }))).toEqual(["new", ...FILTERS.open]);
  expect((await list(ada, { tasks: "open" })).notes).toBeUndefined();
  expect((await find(ada, "task:done")).sort()).toEqual(FILTERS.done);
});

test("many and long documents of an earlier version are counted in one run", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  await env.DB.prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
    INSERT INTO documents (id, owner, title, content, tags, source_type, version, created_at, updated_at)
    SELECT printf('01936b1e-7c3a-7f10-%04d-%012d', 8000 + ?1 % 1000, i), ?1, 'Old', json_object('text', iif(i % 3, '- [ ] a', 'b')), '[]', 'api', 1, ?2, ?2
    FROM n`)
    .bind(owner, new Date().toISOString())
    .run();
  await write(ada, "long", `- [x] a\n${"word ".repeat(200_000)}`);
  await env.DB.prepare("UPDATE documents SET open_tasks = NULL WHERE owner = ?").bind(owner).run();
  await cron();
  expect(await list(ada, { tasks: "open", limit: "1" })).toMatchObject({ total: 800 });
  expect(titles(await list(ada, { tasks: "done" }))).toEqual(["long"]);
});

test("what a filter for tasks reads depends on the caller's own documents only", async () => {
  const ada = await person();
  await fill(ada);
  const ctx = await ctxOf(ada);
  const rows = async () => {
    const { session, meter } = metered(openSession(env.DB));
    const query = { tasks: "open", sort: "updated_at", limit: 20, offset: 0 } as const;
    await listDocuments({ ...ctx, db: openDatabase(session) }, query);
    return meter.rowsRead;
  };
  const alone = await rows();
  const grace = await person();
  for (let n = 0; n < 5; n++) await fill(grace);
  await forget(await numberOf(grace));
  // A seek in the index meets the entry after those of its owner.
  expect(await rows()).toBeLessThanOrEqual(alone + 1);
  expect(alone).toBeLessThan(40);
});
