import { describe, expect, test } from "vitest";
import { documentResults } from "../../../src/contract/search.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { type Client, person } from "../../kit/client.ts";

const create = (client: Client, json: Record<string, unknown>) =>
  client.ok(documents.createDocumentRoute, { json: { title: "Untitled", ...json } });
const read = (client: Client, document_id: string) =>
  client.ok(documents.getDocumentRoute, { params: { document_id } });

describe("times that a caller sets", () => {
  const DAY = 86_400_000;
  const at = (days: number) => new Date(Date.now() + days * DAY).toISOString();
  const told = [undefined, at(-2), at(-1), at(1)];
  const cases = told.flatMap((created_at) =>
    told.map((updated_at) => ({
      ...(created_at && { created_at }),
      ...(updated_at && { updated_at }),
    })),
  );
  /** The result of creating a document with these times. */
  const expected = ({ created_at, updated_at }: { created_at?: string; updated_at?: string }) => {
    const now = new Date().toISOString();
    if ([created_at, updated_at].some((time) => time && time > now)) return undefined;
    if (created_at && updated_at && updated_at < created_at) return undefined;
    return { created_at: created_at ?? updated_at, updated_at: updated_at ?? created_at };
  };

  test.for(cases)(
    "%o are kept by POST and in bulk where they can be, and refused elsewhere",
    async (times) => {
      const ada = await person();
      const should = expected(times);
      const alone = await ada.call(documents.createDocumentRoute, { json: { title: "Old", ...times } });
      expect(alone.status).toBe(should ? 201 : 422);
      if (should?.created_at) expect(alone.body).toMatchObject(should);
      const target = await create(ada, { created_at: at(-1.5) });
      const { results } = await ada.ok(documents.bulkDocumentsRoute, {
        json: {
          operations: [
            { operation: "create", title: "Old", ...times },
            { operation: "update", id: target.id, title: "Changed", ...times },
          ],
        },
      });
      expect(results[0]?.ok).toBe(should !== undefined);
      if (should?.created_at) expect(await read(ada, results[0]?.id ?? "")).toMatchObject(should);
      const after = await read(ada, target.id);
      expect(after.updated_at >= after.created_at).toBe(true);
      expect(after.updated_at <= new Date().toISOString()).toBe(true);
      expect(after).toMatchObject(results[1]?.ok ? { title: "Changed", version: 2, ...times } : target);
    },
  );

  test("may have any UTC offset, are what search filters by, and are not changed by PUT", async () => {
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
    const found = async (q: string) =>
      documentResults(await ada.ok(searchRoute, { query: { q } })).map(({ id }) => id);
    expect(await found("walrus before:2020-05-02 after:2020-05-01")).toEqual([old.id]);
    expect(await found("walrus after:2020-05-02")).toEqual([]);
    const params = { document_id: old.id };
    const json = { title: "Walrus", created_at: "2001-01-01T00:00:00Z", updated_at: "2001-01-01T00:00:00Z" };
    expect(await ada.ok(documents.updateDocumentRoute, { params, json: json as never })).toEqual(old);
  });
});
