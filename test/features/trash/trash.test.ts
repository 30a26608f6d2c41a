import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { addDays, startOfDay } from "../../../src/contract/days.ts";
import { updateMeRoute } from "../../../src/features/auth/routes.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { emptyTrashRoute, listTrashRoute } from "../../../src/features/trash/routes.ts";
import { person, signIn } from "../../kit/client.ts";
import { create, remove } from "../../kit/documents.ts";
import { exported, send } from "../../kit/files.ts";
import { cron } from "../../kit/hooks.ts";
import { make } from "../../kit/records.ts";
import { keyOf } from "../../kit/scopes.ts";
import { at, inTrash, NOW, read, restore, setNow, trash } from "../../kit/trash.ts";

// The trash of an account: what is in it, for how long, and what an export makes of it.

const EMAIL = "ada@example.com";

afterEach(() => void vi.useRealTimers());

test("the trash has documents and records, the last deleted first; a caller who asks for no kind sees documents", async () => {
  setNow();
  const [ada, bob] = [await person(), await person()];
  await trash(bob, (await make(bob)).id);
  const placed: (string | number)[] = [];
  for (let n = 0; n < 4; n++) {
    vi.setSystemTime(new Date(Date.parse(NOW) + n * 1000));
    const document = await create(ada);
    await remove(ada, document);
    vi.setSystemTime(new Date(Date.parse(NOW) + n * 1000 + 500));
    const record = await make(ada, { topic: `Topic ${n}` });
    await trash(ada, record.id);
    placed.unshift(record.id, document.id);
  }
  expect(await inTrash(ada)).toEqual(placed);
  expect(await inTrash(ada, "memories")).toEqual([4, 3, 2, 1]);
  const { items, total } = await ada.ok(listTrashRoute);
  expect([items.map(({ type }) => type), total]).toEqual([Array(4).fill("document"), 4]);
  const page = await ada.ok(listTrashRoute, { query: { type: "all", limit: 3, offset: 3 } });
  expect([page.items.map(({ id }) => id), page.total]).toEqual([placed.slice(3, 6), 8]);

  expect((await ada.call(emptyTrashRoute)).status).toBe(204);
  expect(await inTrash(ada)).toEqual([4, 3, 2, 1]);
  expect((await ada.call(emptyTrashRoute, { query: { type: "all" } })).status).toBe(204);
  expect(await inTrash(ada)).toEqual([]);
  expect(await inTrash(bob)).toEqual([1]);
});

test.each([
  [["docs:read", "docs:write"], ["documents"]],
  [["memory:read", "memory:write"], ["memories"]],
  [
    ["docs:read", "memory:read", "docs:write"],
    ["documents", "memories", "all"],
  ],
])("a key with %s sees only that part of the trash, and empties no other", async (scopes, allowed) => {
  const ada = await person();
  await trash(ada, (await make(ada, { topic: "MEMSECRET" })).id);
  const script = await keyOf(ada, scopes);
  const shown = new Map<string, string>();
  for (const type of ["documents", "memories", "all"]) {
    const answer = await script.fetch(`/api/trash?type=${type}`);
    if (answer.status === 200) shown.set(type, await answer.text());
  }
  expect([...shown.keys()]).toEqual(allowed);
  expect(shown.get("documents") ?? "").not.toContain("MEMSECRET");
  for (const query of [
    "type=all",
    "type=documents&type=memories",
    "type=memories&type=documents",
    "type=x",
  ]) {
    const { status } = await script.fetch(`/api/trash?${query}`, { method: "DELETE" });
    expect([403, 422], query).toContain(status);
  }
  expect(await inTrash(ada)).toEqual([1]);
});

test("the cron handler erases what has been in the trash for 30 days, and nothing that was restored", async () => {
  setNow();
  let ada = await person({ email: EMAIL });
  const setTime = async (days: number, time: string) => {
    vi.setSystemTime(new Date(`${addDays("2026-11-20", days)}T${time}Z`));
    ada = await signIn(EMAIL);
  };
  const [kept, gone, later, linked] = [await make(ada), await make(ada), await make(ada), await make(ada)];
  await ada.ok(memories.supersedeMemoryRoute, { ...at(linked.id), json: { content: "Newer" } });
  for (const { id } of [kept, gone, linked]) await trash(ada, id);
  await setTime(10, "12:00:00");
  await trash(ada, later.id);
  await setTime(30, "11:59:59");
  await restore(ada, kept.id);
  await cron();
  expect((await inTrash(ada)).length).toBe(3);
  await setTime(30, "12:00:01");
  await cron();
  expect(await inTrash(ada)).toEqual([later.id]);
  expect((await ada.ok(memories.getMemoryRoute, at(linked.id + 1))).supersedes_id).toBeNull();
  expect((await read(ada, kept.id)).status).toBe(200);
  const orphans = "SELECT count(*) AS n FROM memory_events WHERE memory_id NOT IN (SELECT id FROM memories)";
  expect(await env.DB.prepare(orphans).first("n")).toBe(0);
});

test("a record that waits for a day in the trash is awake when it comes back after it, in its owner's time zone", async () => {
  setNow();
  let ada = await person({ timezone: "Pacific/Kiritimati", email: EMAIL });
  const [first, second] = [await make(ada), await make(ada, { topic: "Second" })];
  for (const { id } of [first, second]) {
    await ada.ok(memories.deferMemoryRoute, { ...at(id), json: { deferred_until: "2026-11-25" } });
    await trash(ada, id);
  }
  await ada.ok(updateMeRoute, { json: { timezone: "Pacific/Niue" } });
  expect((await env.DB.prepare("SELECT DISTINCT touched_at AS at FROM memories").all()).results).toEqual([
    { at: startOfDay("2026-11-25", "Pacific/Niue") },
  ]);
  vi.setSystemTime(new Date("2026-11-25T10:30:00Z"));
  ada = await signIn(EMAIL);
  expect(await restore(ada, first.id)).toMatchObject({ status: "deferred" });
  vi.setSystemTime(new Date("2026-11-25T11:30:00Z"));
  ada = await signIn(EMAIL);
  expect((await ada.ok(memories.getMemoryRoute, at(first.id))).status).toBe("active");
  await cron();
  const before = await ada.ok(dashboard.getSummaryRoute);
  expect(before.by_status).toEqual({ active: 1, deferred: 0, resolved: 0, archived: 0 });
  expect(await restore(ada, second.id)).toMatchObject({ status: "active", deferred_until: null });
  expect((await ada.ok(dashboard.getSummaryRoute)).by_status).toMatchObject({ active: 2, deferred: 0 });
});

test("an export holds the trash, and an import puts it there, in every mode", async () => {
  const [ada, bob] = [await person(), await person()];
  for (const topic of ["kept", "trashed", "both"]) await make(ada, { topic, tags: ["x"] });
  await trash(ada, 2);
  const file = await exported(ada);
  const importAs = async (mode: string) =>
    expect((await send(bob, file, `?mode=${mode}`)).status).toBeLessThan(300);
  const recordsOf = (text: string) => text.split("\n").filter((line) => line.startsWith('{"type":"memory"'));
  expect(recordsOf(file)).toHaveLength(3);

  await importAs("skip");
  expect(recordsOf(await exported(bob))).toEqual(recordsOf(file));
  expect([await inTrash(bob), (await read(bob, 2)).status]).toEqual([[2], 404]);
  expect((await restore(bob, 2)).topic).toBe("trashed");
  const search = async () =>
    (await bob.ok(searchRoute, { query: { q: "trashed", type: "memories" } })).results.length;
  expect(await search()).toBe(1);

  await trash(bob, 1);
  await importAs("skip");
  expect(await inTrash(bob)).toEqual([1]);
  await importAs("overwrite");
  expect([await inTrash(bob), await search()]).toEqual([[2], 0]);
  expect((await bob.ok(dashboard.getSummaryRoute)).by_status.active).toBe(2);
  await importAs("copy");
  expect((await inTrash(bob)).length).toBe(2);
  expect((await bob.ok(dashboard.getSummaryRoute)).by_status.active).toBe(4);
});
