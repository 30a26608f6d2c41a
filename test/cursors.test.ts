import { describe, expect, test } from "vitest";
import * as documents from "../src/documents/routes.ts";
import * as memories from "../src/memories/routes.ts";
import { type Client, person } from "./kit/client.ts";
import { numberOf } from "./kit/ctx.ts";
import { prepare } from "./kit/memories.ts";

// Pages by cursor: every item once, in the order of the list, whatever is written meanwhile.

type Listed = { id: string | number };
type List = (
  query: Record<string, string>,
) => Promise<{ items: Listed[]; total: number; next_cursor?: string }>;

async function byCursor(
  list: List,
  query: Record<string, string>,
  between = async () => {},
): Promise<unknown[]> {
  const found: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ ...query, limit: "3", ...(cursor && { cursor }) });
    found.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
    await between();
  } while (cursor !== undefined);
  return found;
}

const ids = ({ items }: { items: Listed[] }) => items.map(({ id }) => id);

async function documentsOf(ada: Client): Promise<List> {
  for (let index = 0; index < 11; index++) {
    const json = { title: `${"aAbB"[index % 4]} note`, created_at: `2026-01-0${1 + (index % 3)}T08:00:00Z` };
    await ada.ok(documents.createDocumentRoute, { json });
  }
  return (query) => ada.ok(documents.listDocumentsRoute, { query });
}

async function memoriesOf(ada: Client): Promise<List> {
  const rows = Array.from({ length: 11 }, (_, index) => ({
    created_at: `2026-01-0${1 + (index % 3)}T08:00:00.000Z`,
    updated_at: `2026-02-0${1 + (index % 2)}T08:00:00.000Z`,
    due_date: index % 3 ? `2027-01-0${1 + (index % 2)}` : null,
  }));
  await prepare(await numberOf(ada), rows);
  return (query) => ada.ok(memories.listMemoriesRoute, { query });
}

describe.each([
  ["documents", documentsOf, ["updated_at", "created_at", "title"]],
  ["records", memoriesOf, ["updated_at", "created_at", "due_date"]],
] as const)("a list of %s by cursor", (_, listOf, sorts) => {
  test("is the list by offset, in every order", async () => {
    const list = await listOf(await person());
    for (const sort of sorts) {
      for (const order of ["asc", "desc"]) {
        const whole = await list({ sort, order, limit: "100" });
        expect(whole.next_cursor).toBeUndefined();
        expect(await byCursor(list, { sort, order }), `${sort} ${order}`).toEqual(ids(whole));
      }
    }
  });

  test("refuses a cursor of another order, one with an offset, and one that is none", async () => {
    const ada = await person();
    const list = await listOf(ada);
    const { next_cursor = "", total } = await list({ limit: "3" });
    expect(total).toBe(11);
    expect((await list({ limit: "3", cursor: next_cursor })).total).toBe(11);
    for (const [name, value] of [
      ["sort", "created_at"],
      ["order", "asc"],
      ["offset", "3"],
    ] as const) {
      await expect(list({ [name]: value, cursor: next_cursor })).rejects.toThrow(/422/);
    }
    for (const cursor of ["", "x", "bnVsbA", "W10", "e30", "WyJhIiwgWzFdXQ"]) {
      await expect(list({ cursor })).rejects.toThrow(/422/);
    }
  });
});

test("nothing is shown twice or left out while new documents come in", async () => {
  const ada = await person();
  const list = await documentsOf(ada);
  const before = ids(await list({ limit: "100" }));
  const add = async () => {
    await ada.ok(documents.createDocumentRoute, { json: { title: "In between" } });
  };
  expect(await byCursor(list, {}, add)).toEqual(before);
});
