import fc from "fast-check";
import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { listFoldersRoute } from "../../../src/features/folders/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { isLikelyTypo, mostSimilarName } from "../../../src/shared/text/likeness.ts";
import { type Assistant, assistant } from "../../kit/assistant.ts";
import { type Client, person } from "../../kit/client.ts";
import { bareId } from "../../kit/mcp.ts";

// What assistants that had never seen the service stumbled on: answers that meant something else than expected.

const TODAY = "2026-11-20";
const RECORD = { memory_type: "commitment", topic: "Send the slides", content: "To Grace" };

const at = (who: Client, day = TODAY) => assistant(who, day);
const hits = async (claude: Assistant, query: string) => (await claude.search({ query })).results;

/** Every id in an answer, under whatever name. */
function idsIn(value: unknown, name = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => idsIn(item, name));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, item]) => idsIn(item, key));
  return /^(?:id|.*_id|record)$/.test(name) ? [String(value)] : [];
}

test("every answer of every tool has ids of one form, which every tool takes", async () => {
  const claude = await at(await person());
  const answers: [string, unknown][] = [];
  const use = async (name: Exclude<keyof Assistant, "ctx">, sent: object = {}) => {
    const answer: object = await claude[name](sent);
    answers.push([name, answer]);
    return answer as Record<string, unknown>;
  };
  const { id } = await use("createDocument", { title: "Plan", text: "One", folder: "Work" });
  await use("editDocument", { id, operation: "set_fields", folder: "Home" });
  await use("editDocument", { id, operation: "append", text: "Two" });
  await use("remember", { ...RECORD, due_date: "2026-11-14" });
  const both = [
    { ...RECORD, content: "Both" },
    { ...RECORD, replaces_id: "mem:1" },
  ];
  await use("remember", { records: both });
  await use("updateMemory", { ids: [2, "mem:3", 9], project: "Apollo" });
  await use("updateMemory", { id: "#3", topic: "Slides" });
  for (const view of ["active", "alerts", "history", "all"]) await use("listMemories", { view });
  await use("closeMemories", { ids: ["2", 9], outcome: "deleted" });
  await use("deleteDocument", { id });
  await use("listTrash");
  await use("restore", { id: bareId(id) });
  await use("restore", { id: 2 });
  await use("listVersions", { id: 3 });
  await use("fetch", { id: 3 });
  await use("fetch", { id });
  await use("listDocuments", { folder: "Home" });
  await use("listDocuments");
  await use("search", { query: "slides OR plan" });
  await use("getBriefing");
  await use("whoami");
  const FORM = /^(?:mem:\d+|doc:[0-9a-f-]{36}|folder:[0-9a-f-]{36})(?:@\d+)?$/;
  for (const [name, answer] of answers) {
    const ids = idsIn(answer);
    expect(ids.length, name).toBeGreaterThan(0);
    for (const one of ids) expect(one, name).toMatch(FORM);
  }
  const { changes } = await claude.listChanges({ since: TODAY });
  for (const { record } of changes) if (record) expect(record).toMatch(FORM);
  const folder = String((await claude.whoami()).folders?.[0]?.id);
  for (const form of [folder, bareId(folder), ` ${folder.toUpperCase()} `])
    expect(await claude.listDocuments({ folder: form })).toMatchObject({ folder: { id: folder } });
});

test("what replaces a decision does not inherit the day by which that was to be made", async () => {
  const ada = await person();
  const claude = await at(ada);
  const pricing = { memory_type: "decision", topic: "Pricing" };
  await claude.remember({ ...pricing, content: "Open", due_date: "2026-11-14", project: "Apollo" });
  const { memory } = await claude.remember({ ...pricing, content: "Per seat", replaces_id: "mem:1" });
  expect(memory).toMatchObject({ project: "Apollo" });
  expect(memory).not.toHaveProperty("due_date");
  const sections = (await claude.getBriefing()).sections;
  expect(sections.find(({ section }) => section === "overdue")?.total).toBe(0);
  // A promise in another form is still due, and a day that is given counts.
  await claude.remember({ ...RECORD, due_date: "2026-11-25" });
  expect((await claude.remember({ ...RECORD, content: "As PDF", replaces_id: 3 })).memory).toMatchObject({
    due_date: "2026-11-25 (Wednesday)",
  });
  const json = { content: "Again", due_date: "2026-12-24" };
  const second = { params: { memory_id: "2" }, json };
  const { superseded_by_id } = await ada.ok(memories.supersedeMemoryRoute, second);
  const params = { memory_id: String(superseded_by_id) };
  expect((await ada.ok(memories.getMemoryRoute, { params })).due_date).toBe("2026-12-24");
});

test("a filter that only one kind has is answered with what it leaves out", async () => {
  const ada = await person();
  const claude = await at(ada);
  await claude.remember({ ...RECORD, project: "Apollo" });
  await claude.createDocument({ title: "Apollo: plan", text: "slides", folder: "Work" });
  const notes = async (query: string) => (await claude.search({ query })).notes;
  expect(await notes("slides project:Apollo")).toEqual([
    "Only records are shown, because documents have no project. Search for Apollo as a word to find documents too.",
  ]);
  expect(await notes("status:active")).toEqual(["Only records are shown, because documents have no status."]);
  expect(await notes("slides folder:Work")).toEqual([
    "Only documents are shown, because records are not in folders.",
  ]);
  const told = ["slides", "project:Apollo type:commitment", "folder:Work type:document", "type:decision"];
  for (const query of told) expect(await notes(query), query).toBeUndefined();
  const query = { q: "slides project:Apollo", type: "all" as const };
  expect((await ada.ok(searchRoute, { query })).notes).toHaveLength(1);
});

test("a folder whose name may be a slip is not created unless that is said", async () => {
  const ada = await person();
  const claude = await at(ada);
  const create = (folder: string, more = {}) =>
    claude.createDocument({ title: "T", text: "x", folder, ...more });
  const { id } = await create("Work/Notes");
  const refusal = 'there is no "Wrok", but "Work": nothing was written. Use that, or add new_folder: true';
  await expect(create("Wrok")).rejects.toThrow(refusal);
  await expect(create("Wrok/2026")).rejects.toThrow(refusal);
  await expect(create("Work/Nots")).rejects.toThrow('there is no "Work/Nots", but "Work/Notes"');
  const move = { id, operation: "set_fields", folder: "Wörk" };
  await expect(claude.editDocument(move)).rejects.toThrow('but "Work"');
  expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(1);
  expect((await ada.ok(listFoldersRoute)).total).toBe(2);
  expect((await create("Wrok", { new_folder: true })).folder).toMatchObject({ path: "Wrok", created: true });
  expect((await claude.editDocument({ ...move, new_folder: true })).folder?.path).toBe("Wörk");
  // Numbers, single letters and other places are meant.
  for (const path of ["Work/2025", "Work/2026", "Team A", "Team B", "Home/Notes"]) {
    expect((await create(path)).folder, path).toMatchObject({ path, created: true });
  }
});

test("a name with two letters swapped is a hint, however short it is", () => {
  expect(mostSimilarName(["Home", "QA"], "AQ")).toBe("QA");
  expect(mostSimilarName(["Home", "QB"], "AQ")).toBeUndefined();
});

test("a slip is a slip in both directions, in any case, and a number never is", () => {
  const name = fc.string({ minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(name, name, fc.nat(99), (one, other, number) => {
      expect(isLikelyTypo(one, one.toUpperCase().toLowerCase())).toBe(
        isLikelyTypo(one.toUpperCase().toLowerCase(), one),
      );
      expect(isLikelyTypo(one, other)).toBe(isLikelyTypo(other, one));
      expect(isLikelyTypo(`Year ${number}`, `Year ${number + 1}`)).toBe(false);
    }),
  );
  const word = fc.stringMatching(/^[a-z]{5,12}$/);
  fc.assert(
    fc.property(word, fc.nat(10), (text, place) => {
      const cut = place % (text.length - 1);
      const swapped = [...text];
      [swapped[cut], swapped[cut + 1]] = [swapped[cut + 1] ?? "", swapped[cut] ?? ""];
      expect(isLikelyTypo(text, swapped.join(""))).toBe(true);
      expect(isLikelyTypo(text, text.slice(0, cut) + text.slice(cut + 1))).toBe(true);
      expect(isLikelyTypo(text, ` ${text.toUpperCase()}`)).toBe(true);
    }),
  );
});

test("each project has its completion rate, as in its own history; a preference is nothing to complete", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const projects = ["Apollo", "Apollo", "Apollo", "Gemini", "Gemini", "Quiet"];
  const records = projects.map((project, n) => ({ ...RECORD, topic: `Item${n}`, project }));
  const others = ["decision", "preference", "preference"].map((memory_type, n) => ({
    ...{ ...RECORD, memory_type, topic: `Other${n}` },
  }));
  await claude.remember({ records: [...records, ...others] });
  const later = { outcome: "deferred", until: inDays(9).slice(0, 10) };
  const archived = [3, 8].map((id) => ({ id, outcome: "archived" }));
  const deferred = [5, 9].map((id) => ({ id, ...later }));
  const resolved = [1, 2, 4, 7].map((id) => ({ id, outcome: "resolved" }));
  await claude.closeMemories({ records: [...resolved, ...archived, ...deferred] });
  const { stats } = await claude.listMemories({ view: "history" });
  expect(stats).toMatchObject({
    completion_rate_30d: 0.67,
    completion_30d: "4 resolved; 1 deferred and 1 archived commitments and blockers",
  });
  const rates = async (of: Assistant) =>
    Object.fromEntries((await of.whoami()).projects?.map((one) => [one.project, one]) ?? []);
  const { Apollo, Gemini, Quiet } = await rates(claude);
  expect(Apollo).toEqual({ project: "Apollo", resolved: 2, archived: 1, completion_rate_30d: 0.67 });
  expect(Gemini).toEqual({ project: "Gemini", resolved: 1, deferred: 1, completion_rate_30d: 0.5 });
  expect(Quiet).toEqual({ project: "Quiet", active: 1 });
  for (const one of [Apollo, Gemini]) {
    const own = await claude.listMemories({ view: "history", project: one?.project });
    expect(own.stats?.completion_rate_30d).toBe(one?.completion_rate_30d);
  }
  // What has woken is not closed, and what was closed longer ago does not count.
  const woken = { project: "Gemini", active: 1, resolved: 1, completion_rate_30d: 1 };
  expect((await rates(await assistant(ada, inDays(10)))).Gemini).toEqual(woken);
  const old = { project: "Apollo", resolved: 2, archived: 1 };
  expect((await rates(await assistant(ada, inDays(40)))).Apollo).toEqual(old);
});

test("every answer that names a folder names its path, all but those of a search its id, and one that has days says which day today is", async () => {
  const claude = await at(await person());
  const { id, folder } = await claude.createDocument({
    ...{ title: "Plan", text: "Slides", folder: "Work/Notes", tags: ["a"] },
  });
  const notes = { id: folder?.id, path: "Work/Notes" };
  expect(await hits(claude, "slides")).toMatchObject([{ folder: notes.path, tags: ["a"] }]);
  const { subfolders } = await claude.listDocuments({ folder: "Work" });
  expect(subfolders).toEqual([notes]);
  await claude.deleteDocument({ id });
  expect((await claude.listTrash()).items[0]).toMatchObject({ folder: notes });
  const { changes } = await claude.listChanges({ since: TODAY });
  const undone = await claude.undoChanges({ ids: [changes[0]?.id] });
  const today = "2026-11-20 (Friday)";
  expect(undone).toMatchObject({ today, results: [{ folder: notes }] });
  await claude.deleteDocument({ id });
  expect(await claude.restore({ id })).toMatchObject({ today, folder: notes });
});

test("a hit says until when it is deferred, and when its content changed, not its filing", async () => {
  const ada = await person();
  const before = await at(ada, "2026-10-01");
  await before.remember({ ...RECORD, project: "Apollo" });
  await before.remember({ ...RECORD, topic: "Slides of the review", content: "Later" });
  const deferral = { ids: [2], outcome: "deferred", deferred_until: "2026-12-10" };
  await (await at(ada, "2026-10-05")).closeMemories(deferral);
  const claude = await at(ada);
  await claude.updateMemory({ in_project: "Apollo", project: "Gemini" });
  await claude.updateMemory({ ids: [1, 2], add_tags: "x", scope: "work" });
  const [slides, review] = (await hits(claude, "slides")).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  expect(slides).toMatchObject({ project: "Gemini", when: "7 weeks ago, Thu 1 Oct" });
  expect(slides).not.toHaveProperty("updated");
  expect(slides).not.toHaveProperty("deferred_until");
  expect(review).toMatchObject({
    kind: "deferred commitment",
    deferred_until: "2026-12-10",
    ...{ when: "7 weeks ago, Thu 1 Oct", updated: "6 weeks ago, Mon 5 Oct" },
  });
  expect(await hits(claude, "slides after:2026-11-01")).toEqual([]);
  expect((await hits(claude, "type:commitment")).map(({ id }) => id)).toEqual(["mem:2", "mem:1"]);
  expect(await hits(claude, "slides before:2026-10-03")).toMatchObject([{ id: "mem:1" }]);
  const { results } = await ada.ok(searchRoute, { query: { q: "slides", type: "memories" } });
  for (const result of results)
    expect("memory" in result && result.memory.updated_at > result.memory.changed_at).toBe(true);
  await claude.updateMemory({ id: 1, content: "To Alan" });
  expect(await hits(claude, "slides after:2026-11-01")).toMatchObject([
    { id: "mem:1", updated: expect.stringMatching(/^today, /) },
  ]);
  // On its day it is active again.
  const woken = await hits(await at(ada, "2026-12-10"), "review");
  expect(woken).toMatchObject([{ kind: "commitment" }]);
  expect(woken[0]).not.toHaveProperty("deferred_until");
});

test("tags are added and removed, never replaced, alike for documents and for many records", async () => {
  const ada = await person();
  const claude = await at(ada);
  const { id } = await claude.createDocument({ title: "Plan", text: "x", tags: ["a", "b"] });
  const set = (fields: object) => claude.editDocument({ id, operation: "set_fields", ...fields });
  expect((await set({ add_tags: "c, a", remove_tags: ["b", "z"] })).tags).toEqual(["a", "c"]);
  await expect(set({ add_tags: ["a"] })).rejects.toThrow("Nothing to change");
  await expect(set({ tags: ["d"] })).rejects.toThrow("tags: is not a field here; did you mean add_tags?");
  await expect(set({ add_tags: ["x".repeat(65)] })).rejects.toThrow("add_tags");
  const many = Array.from({ length: 49 }, (_, n) => `t${n}`);
  await expect(set({ add_tags: many })).rejects.toThrow("tags");

  await claude.remember({
    records: [
      { ...RECORD, tags: ["a", "b"] },
      { ...RECORD, topic: "Full", tags: ["a", ...many] },
    ],
  });
  const { results } = await claude.updateMemory({ ids: [1, 2], add_tags: ["c"], remove_tags: ["b"] });
  expect(results).toMatchObject([
    { id: "mem:1", ok: true, tags: ["a", "c"] },
    { id: "mem:2", ok: false, detail: "tags: a record has at most 50" },
  ]);
  const { memory } = await claude.updateMemory({ id: 1, remove_tags: "a, c", project: "Apollo" });
  expect(memory).toMatchObject({ project: "Apollo", tags: [] });
  await expect(claude.updateMemory({ id: 1, tags: ["d"] })).rejects.toThrow("did you mean add_tags?");
  expect(await ada.ok(memories.getMemoryRoute, { params: { memory_id: "1" } })).toMatchObject({ tags: [] });
});
