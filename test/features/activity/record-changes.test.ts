import fc from "fast-check";
import { expect, test } from "vitest";
import { listActivityRoute } from "../../../src/features/activity/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { editTool } from "../../../src/features/folders/tools.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { type Assistant, assistant } from "../../kit/assistant.ts";
import { person } from "../../kit/client.ts";
import { callTool } from "../../kit/ctx.ts";
import { bareId } from "../../kit/mcp.ts";

// Records and folders that are deferred, resolved, read in the trash and renamed, and what answers say about it.

const SLIDES = { memory_type: "commitment", topic: "Slides", content: "For Grace" } as const;

test("deferring a deferred record again says so, with both days, wherever it is told", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  await claude.remember(SLIDES);
  const defer = (fields: object) => claude.closeMemories({ ids: [1], outcome: "deferred", ...fields });
  await defer({ deferred_until: "2099-01-02" });
  await defer({ deferred_until: "2099-01-09" });
  await defer({ note: "Grace is away" });
  const { changes } = await claude.listChanges({ since: "2020-01-01" });
  expect(changes.map(({ change }) => change)).toEqual([
    "deferred again: note",
    'deferred again: deferred_until "2099-01-02" → "2099-01-09"',
    'deferred deferred_until none → "2099-01-02"',
    "created",
  ]);
  const { items } = await ada.ok(listActivityRoute);
  expect(items.map(({ again }) => again)).toEqual([true, true, undefined, undefined]);
});

test("a waiting record that is deferred again or changed is not merely filed, and an undo takes that back", async () => {
  const ada = await person();
  const on = (day: string) => assistant(ada, `2026-11-${day}T08:00:00Z`);
  const start = await on("02");
  await start.remember(SLIDES);
  const defer = (claude: Assistant, deferred_until: string) =>
    claude.closeMemories({ ids: [1], outcome: "deferred", deferred_until });
  const timesOf = async (claude: Assistant) => {
    const [one] = (await claude.listMemories({ view: "all" })).items;
    return [one?.updated_at, one?.filed_at];
  };
  await defer(start, "2099-01-02");
  await defer(await on("04"), "2099-01-09");
  expect(await timesOf(await on("04"))).toEqual(["2026-11-04T08:00+00:00", undefined]);
  await (await on("05")).updateMemory({ ids: [1], add_tags: ["board"] });
  expect(await timesOf(await on("05"))).toEqual(["2026-11-04T08:00+00:00", "2026-11-05T08:00+00:00"]);
  await (await on("06")).updateMemory({ ids: [1], content: "For Alan" });
  expect(await timesOf(await on("06"))).toEqual(["2026-11-06T08:00+00:00", undefined]);
  const history = await (await on("06")).listMemories({ view: "history" });
  expect(history.items[0]).toMatchObject({ updated_at: "2026-11-06T08:00+00:00" });
  await ada.ok(memories.restoreMemoryVersionRoute, { params: { memory_id: "1", version: "3" } });
  expect((await timesOf(await on("07")))[0]).toBe("2026-11-04T08:00+00:00");
});

test("several types are asked for at once, in the API and by an assistant, in every view", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const types = ["commitment", "decision", "blocker", "context"] as const;
  const records = ["", " 2"].flatMap((end) =>
    types.map((type) => ({ ...SLIDES, memory_type: type, topic: `${type}${end}`, due_date: "2026-01-01" })),
  );
  await claude.remember({ records });
  await claude.closeMemories({ ids: [5, 6, 7, 8], outcome: "resolved" });
  const listed = async (query: Record<string, string | string[]>) => {
    const { items, total } = await ada.ok(memories.listMemoriesRoute, { query });
    return [total, [...new Set(items.map((one) => one.memory_type))].sort()];
  };
  const memory_type = ["blocker", "decision"];
  expect(await listed({ memory_type })).toEqual([4, memory_type]);
  expect(await listed({ memory_type, q: "2" })).toEqual([2, memory_type]);
  expect(await listed({ memory_type: "decision", status: "active" })).toEqual([1, ["decision"]]);
  const wrong = { query: { memory_type: ["decision", "x"] } };
  expect((await ada.call(memories.listMemoriesRoute, wrong)).status).toBe(422);
  for (const [asked, total] of [
    [{}, 2],
    [{ view: "active", q: "decision" }, 1],
    [{ view: "alerts" }, 2],
    [{ view: "history", tag: [] }, 2],
    [{ view: "all" }, 4],
    [{ due_before: "2026-02-01" }, 2],
    [{ memory_type: [], view: "all" }, 8],
  ] as const) {
    const found = await claude.listMemories({ memory_type: "decision, blocker", ...asked });
    expect(found.total, JSON.stringify(asked)).toBe(total);
  }
  expect((await claude.listMemories({ type: "context" })).total).toBe(1);
});

test("what is in the trash is read without being restored, by its owner alone", async () => {
  const [ada, bob] = [await person(), await person()];
  const claude = await assistant(ada);
  const { id } = await claude.createDocument({ title: "Plan", text: "One", folder: "Work" });
  await claude.remember(SLIDES);
  const document = { params: { document_id: bareId(id) }, query: { trashed: "true" } };
  const record = { params: { memory_id: "1" }, query: { trashed: "true" } };
  const living = await ada.ok(documents.getDocumentRoute, document);
  expect(living).not.toHaveProperty("trashed_at");
  await claude.deleteDocument({ id });
  await claude.closeMemories({ ids: [1], outcome: "deleted" });
  for (const [route, parts] of [
    [documents.getDocumentRoute, document],
    [memories.getMemoryRoute, record],
  ] as const) {
    expect((await ada.call(route, { params: parts.params })).status).toBe(404);
    expect((await bob.call(route, parts)).status).toBe(404);
  }
  const { trashed_at, ...read } = await ada.ok(documents.getDocumentRoute, document);
  expect([read, typeof trashed_at]).toEqual([living, "string"]);
  // The state in the trash has no version of its own.
  const headers = { "If-None-Match": '"v1"' };
  expect((await ada.call(documents.getDocumentRoute, { ...document, headers })).status).toBe(200);
  expect(await ada.ok(memories.getMemoryRoute, record)).toMatchObject({ topic: "Slides", trashed_at });
  const in_trash = expect.stringMatching(
    /^Will be erased after \d{4}-\d\d-\d\d \(\w+\): restore brings it back$/,
  );
  const metadata = { folder: { path: "Work" }, in_trash };
  expect(await claude.fetch({ id })).toMatchObject({ text: "One", metadata });
  expect(await claude.fetch({ id: "mem:1" })).toMatchObject({ metadata: { in_trash } });
  await claude.restore({ id });
  expect((await claude.fetch({ id })).metadata).not.toHaveProperty("in_trash");
  await expect((await assistant(bob)).fetch({ id })).rejects.toThrow("was not found");
});

test("a time is taken as answers write it, without an offset as the person's own, or as a day in words", async () => {
  const ada = await person({ timezone: "Europe/Berlin" });
  const claude = await assistant(ada, "2026-11-20T09:30:00Z");
  await claude.remember(SLIDES);
  const { changes } = await claude.listChanges({ since: "2026-11-20" });
  const since = async (time: string) => (await claude.listChanges({ since: time })).changes.length;
  for (const [time, count] of [
    [changes[0]?.at ?? "", 1],
    ["2026-11-20T10:30", 1],
    ["2026-11-20 10:31", 0],
    ["2026-11-20T10:30:00.001", 0],
    ["2026-11-20T09:30Z", 1],
    ["2099-01-01", 0],
    ["yesterday", 1],
    ["last Friday", 1],
    ["last week", 1],
    ["today", 1],
  ] as const)
    expect(await since(time), time).toBe(count);
  const lastWeek = { since: "last week", until: "yesterday" };
  expect((await claude.listChanges(lastWeek)).changes).toEqual([]);
  for (const time of ["soonish", "yesterday at noon", "2026-13-01", "2026-11-31", "2026-11-20T25:00", "20"]) {
    await expect(since(time), time).rejects.toThrow("such as 2026-11-20");
    await expect(claude.listMemories({ created_after: time }), time).rejects.toThrow("created_after");
    await expect(claude.undoChanges({ since: time }), time).rejects.toThrow("since");
  }
  const after = (created_after: string) => claude.listMemories({ view: "all", created_after });
  expect([(await after("2026-11-20T10:30")).total, (await after("2026-11-20T10:31")).total]).toEqual([1, 0]);
});

test("any time that is asked for is answered or refused", async () => {
  const ada = await person({ timezone: "America/New_York" });
  const claude = await assistant(ada);
  const digits = (count: number) => fc.stringMatching(new RegExp(`^[0-9]{${count}}$`));
  const time = fc
    .tuple(
      digits(4),
      digits(2),
      digits(2),
      fc.constantFrom("", "T02:30", " 24:00", "T23:59:60", "T00:00+25:00", "Z"),
    )
    .map(([year, month, day, rest]) => `${year}-${month}-${day}${rest}`);
  await fc.assert(
    fc.asyncProperty(fc.oneof(time, fc.string()), async (since) => {
      const answer = await claude.listChanges({ since }).catch((problem: unknown) => problem);
      const refusal = since.trim() === "" ? "since: since when?" : "since: must be";
      if (answer instanceof Error) expect(answer.message).toContain(refusal);
    }),
    { numRuns: 60 },
  );
});

test("a folder is renamed and moved by its id, never onto another one, and that is told and undone", async () => {
  const [ada, bob] = [await person(), await person()];
  const claude = await assistant(ada);
  const make = (folder: string) => claude.createDocument({ title: "T", text: "x", folder });
  const notes = (await make("Reading notes")).folder?.id;
  const { id } = await make("Work");
  const set = (ids: unknown, fields: object) =>
    callTool(claude.ctx, editTool, { ids, operation: "set_fields", ...fields });
  expect(await set(notes, { title: "Books" })).toEqual({
    title: "Books",
    folder: { id: notes, path: "Books" },
  });
  expect((await set(notes, { folder: "Work" })).folder?.path).toBe("Work/Books");
  const { changes } = await claude.listChanges({ since: "2020-01-01" });
  expect(changes.slice(0, 2).map(({ change }) => change)).toEqual([
    "moved",
    'changed name "Reading notes" → "Books"',
  ]);
  await ada.ok(createFolderRoute, { json: { name: "Books" } });
  await expect(set(notes, { folder: "/" })).rejects.toThrow("another folder there already has this name");
  await expect(set(notes, { title: "A/B" })).rejects.toThrow("only the folder's name");
  await expect(set(notes, { add_tags: ["a"] })).rejects.toThrow("add_tags: a folder only has title");
  await expect(set(notes, {})).rejects.toThrow("give title");
  await expect(set([notes, id], { title: "A" })).rejects.toThrow("one folder at a time");
  await expect(set(notes, { folder: notes })).rejects.toThrow();
  const theirs = { ids: notes, operation: "set_fields", title: "Mine" };
  await expect(callTool((await assistant(bob)).ctx, editTool, theirs)).rejects.toThrow(
    "whoami shows the ids",
  );
  await claude.undoChanges({ ids: changes.slice(0, 2).map(({ id: number }) => number) });
  const { folders } = await claude.whoami();
  expect(folders?.map(({ path }) => path)).toEqual(["Books", "Reading notes", "Work"]);
});

test("what was done on an earlier day is resolved on it, and nothing ahead", async () => {
  const ada = await person({ timezone: "Europe/Berlin" });
  const start = await assistant(ada, "2026-11-18T09:00:00Z");
  const topics = ["Slides", "Other", "Third"];
  await start.remember({ records: topics.map((topic) => ({ ...SLIDES, topic })) });
  const claude = await assistant(ada, "2026-11-22T09:00:00Z");
  await claude.closeMemories({ ids: [1], outcome: "resolved", resolved_on: "2026-11-21" });
  const records = [
    { id: 2, resolved_on: "2026-11-22" },
    { id: 3, resolved_on: "2026-11-23" },
  ];
  const { results } = await claude.closeMemories({ outcome: "resolved", records });
  expect(results.map(({ detail }) => detail)).toEqual([
    undefined,
    "resolved_on: must not be after today, which is 2026-11-22 (Sunday)",
  ]);
  const { items } = await claude.listMemories({ view: "history", resolved_before: "2026-11-22" });
  expect(items).toMatchObject([{ id: "mem:1", resolved_at: "2026-11-21T23:59+01:00" }]);
  await claude.updateMemory({ ids: [3], happened_on: "2026-11-18" });
  const early = { ids: [3], outcome: "resolved", resolved_on: "2026-11-17" };
  const [refused] = (await claude.closeMemories(early)).results;
  expect(refused?.detail).toContain("resolved_on: must not be before mem:3 happened");
  const wrong = claude.closeMemories({ ids: [3], outcome: "archived", resolved_on: "2026-11-21" });
  await expect(wrong).rejects.toThrow("goes with resolved");
});

test("a slip in the name of a project or in the case of a text is answered with what was meant", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  await claude.remember({ ...SLIDES, project: "Apollo" });
  const rename = claude.updateMemory({ in_project: "Appolo", project: "Gemini" });
  await expect(rename).rejects.toThrow('did you mean "Apollo"?');
  const { id } = await claude.createDocument({ title: "T", text: "Beta one, Beta two" });
  const edit = { id, operation: "find_replace", find_text: "beta", text: "open" };
  await expect(claude.editDocument(edit)).rejects.toThrow(
    "find_text occurs 0 times: nothing was changed; ignoring case, 2 times",
  );
});
