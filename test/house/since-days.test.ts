import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../src/features/activity/routes.ts";
import { updateMeRoute } from "../../src/features/auth/routes.ts";
import { listDocumentsRoute } from "../../src/features/documents/routes.ts";
import { listMemoriesRoute } from "../../src/features/memories/routes.ts";
import { readWithDaysAsInstants } from "../../src/platform/core/days-as-instants.ts";
import { type Client, person } from "../kit/client.ts";
import { ctxOf, numberOf } from "../kit/ctx.ts";
import { prepare } from "../kit/memories.ts";
import { search, write } from "../kit/search.ts";

// A day in a filter begins at the person's midnight, as a due date does; a time is an instant.

/** Days with the instants at which they begin, around a change of summer time. */
const ZONES = {
  "Pacific/Auckland": [
    ["2026-09-27", "2026-09-26T12:00:00.000Z"],
    ["2026-09-28", "2026-09-27T11:00:00.000Z"],
  ],
  "America/Los_Angeles": [
    ["2026-11-01", "2026-11-01T07:00:00.000Z"],
    ["2026-11-02", "2026-11-02T08:00:00.000Z"],
  ],
} as const;

const before = (instant: string) => new Date(Date.parse(instant) - 1).toISOString();

/** A person there, with a record and a document of the last moment before an instant and of the instant itself. */
async function personWith(timezone: string, instant: string) {
  const ada = await person();
  await ada.ok(updateMeRoute, { json: { timezone } });
  const owner = await numberOf(ada);
  const moments = { late: before(instant), early: instant };
  for (const [topic, at] of Object.entries(moments)) {
    await write(ada, topic);
    await prepare(owner, [{ topic, created_at: at, updated_at: at, closed_at: at, status: "resolved" }]);
    for (const statement of ["documents SET updated_at = ?1, changed_at = ?1", "activity SET at = ?1"])
      await env.DB.prepare(`UPDATE ${statement} WHERE owner = ?2 AND title = ?3`)
        .bind(at, owner, topic)
        .run();
  }
  return ada;
}

const titles = (list: { items: { title: string }[] }) => list.items.map(({ title }) => title);
const topics = (list: { items: { topic: string }[] }) => list.items.map(({ topic }) => topic);

async function check(ada: Client, since: string) {
  for (const when of ["updated", "changed"]) {
    const listed = async (name: string) =>
      titles(await ada.ok(listDocumentsRoute, { query: { [`${when}_${name}`]: since } }));
    expect([await listed("after"), await listed("before")]).toEqual([["early"], ["late"]]);
  }
  for (const name of ["created_after", "updated_after", "resolved_after"])
    expect(topics(await ada.ok(listMemoriesRoute, { query: { [name]: since } }))).toEqual(["early"]);
  expect(topics(await ada.ok(listMemoriesRoute, { query: { resolved_before: since } }))).toEqual(["late"]);
  const found = async (q: string, query = {}) => {
    const { results } = await search(ada, q, query);
    return results.map((one) => ("document" in one ? one.document.title : ""));
  };
  expect(await found("early OR late", { updated_after: since })).toEqual(["early"]);
  expect(await found("early OR late", { updated_before: since })).toEqual(["late"]);
  const changes = await ada.ok(listActivityRoute, { query: { since, kind: "document" } });
  expect(titles(changes as never)).toEqual(["early"]);
  const earlier = await ada.ok(listActivityRoute, { query: { until: since, kind: "document" } });
  expect(titles(earlier as never)).toEqual(["late"]);
}

describe.for(Object.entries(ZONES))("in %s", ([timezone, days]) => {
  test.for([...days])("%s begins at %s", async ([day, instant]) => {
    const ada = await personWith(timezone, instant);
    await check(ada, day);
    await check(ada, instant);
    const found = async (q: string) =>
      (await search(ada, q)).results.map((one) => ("document" in one ? one.document.title : ""));
    expect(await found(`after:${day}`)).toEqual(["early"]);
    expect(await found(`before:${day} late`)).toEqual(["late"]);
  });
});

test("an undo since a day leaves the evening before alone", async () => {
  const [[day, instant]] = ZONES["Pacific/Auckland"];
  const ada = await personWith("Pacific/Auckland", instant);
  const { items } = await ada.ok(listActivityRoute, { query: { kind: "document" } });
  const client = items[0]?.actor.client_name ?? items[0]?.actor.id ?? "";
  const json = { client: client || "web", since: day, dry_run: true };
  const { results } = await ada.ok(undoActivityRoute, { json });
  expect(results.filter(({ id }) => items.some((one) => one.id === id && one.title === "late"))).toEqual([]);
});

test("a day is read once with the zone that is known, and again after it has changed", async () => {
  const ctx = await ctxOf(await person());
  const ask = async (timezone: string, last: string, since: string) => {
    const read: (string | undefined)[] = [];
    const user = async () => ({ ...(await ctx.user()), timezone });
    const lastSettings = { timezone: last, stale_after_days: { commitment: 1, blocker: 1 } };
    await readWithDaysAsInstants({ ...ctx, user, lastSettings }, { since }, ["since"], async (asked) =>
      read.push(asked.since),
    );
    return read;
  };
  const [auckland, angeles] = ["Pacific/Auckland", "America/Los_Angeles"];
  expect(await ask(auckland, auckland, "2026-09-27")).toEqual(["2026-09-26T12:00:00.000Z"]);
  const both = ["2026-10-31T11:00:00.000Z", "2026-11-01T07:00:00.000Z"];
  expect(await ask(angeles, auckland, "2026-11-01")).toEqual(both);
  const instant = "2026-09-27T00:00:00.000Z";
  expect(await ask(auckland, "UTC", instant)).toEqual([instant]);
});
