import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { person } from "../../kit/client.ts";
import { at, bulk, create, read } from "../../kit/documents.ts";
import { find } from "../../kit/search.ts";

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const TIMES = [undefined, inDays(-2), inDays(-1), inDays(1)];
const CASES = TIMES.flatMap((created_at) =>
  TIMES.map((updated_at) => ({ ...(created_at && { created_at }), ...(updated_at && { updated_at }) })),
);

/** The times of a document that is created with these; undefined if it is refused. */
const expected = ({ created_at, updated_at }: { created_at?: string; updated_at?: string }) => {
  const now = new Date().toISOString();
  if ([created_at, updated_at].some((time) => time && time > now)) return undefined;
  if (created_at && updated_at && updated_at < created_at) return undefined;
  return { created_at: created_at ?? updated_at, updated_at: updated_at ?? created_at };
};

test("times that a caller sets are kept by POST and in bulk where they can be, and refused elsewhere", async () => {
  const ada = await person();
  for (const times of CASES) {
    const [should, name] = [expected(times), JSON.stringify(times)];
    const alone = await ada.call(documents.createDocumentRoute, { json: { title: "Old", ...times } });
    expect(alone.status, name).toBe(should ? 201 : 422);
    const target = await create(ada, { created_at: inDays(-1.5) });
    const { results } = await bulk(ada, [
      { operation: "create", title: "Old", ...times },
      { operation: "update", id: target.id, title: "Changed", ...times },
    ]);
    expect(results[0]?.ok, name).toBe(should !== undefined);
    if (should?.created_at) {
      expect(alone.body, name).toMatchObject(should);
      expect(await read(ada, results[0] as { id: string }), name).toMatchObject(should);
    }
    const after = await read(ada, target);
    expect(after.updated_at >= after.created_at, name).toBe(true);
    expect(after.updated_at <= new Date().toISOString(), name).toBe(true);
    expect(after, name).toMatchObject(results[1]?.ok ? { title: "Changed", version: 2, ...times } : target);
  }
});

test("times may have any UTC offset, are what search filters by, and are not changed by PUT", async () => {
  const ada = await person();
  const old = await create(ada, {
    title: "Walrus",
    created_at: "2019-05-01T02:00:00+02:00",
    updated_at: "2020-05-01T02:00:00+02:00",
  });
  expect(old).toMatchObject({
    created_at: "2019-05-01T00:00:00.000Z",
    updated_at: "2020-05-01T00:00:00.000Z",
  });
  expect(await find(ada, "walrus before:2020-05-02 after:2020-05-01")).toEqual(["Walrus"]);
  expect(await find(ada, "walrus after:2020-05-02")).toEqual([]);
  // A range includes its beginning and excludes its end.
  const [before, on, later] = ["2020-04-30T23:59:59.999Z", old.updated_at, "2020-05-01T00:00:00.001Z"];
  for (const [query, total] of [
    [{ changed_after: on, changed_before: later }, 1],
    [{ changed_after: before, changed_before: on }, 0],
    [{ changed_after: later }, 0],
  ] as const)
    expect(await ada.ok(documents.listDocumentsRoute, { query })).toMatchObject({ total });
  const json = { title: "Walrus", created_at: "2001-01-01T00:00:00Z", updated_at: "2001-01-01T00:00:00Z" };
  expect(await ada.ok(documents.updateDocumentRoute, { ...at(old), json })).toEqual(old);
});
