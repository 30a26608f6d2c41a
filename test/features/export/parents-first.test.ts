import fc from "fast-check";
import { expect, test } from "vitest";
import { parentsFirst } from "../../../src/features/export/parents-first.ts";

type Row = { id: number; parent_id: number | null };

async function ordered(rows: Row[]): Promise<Row[]> {
  const all: Row[] = [];
  const each = async function* () {
    yield* rows;
  };
  for await (const row of parentsFirst(each())) all.push(row);
  return all;
}

const row = ([id, parent_id]: [number, number | null]): Row => ({ id, parent_id });
const numbers = (rows: Row[]) => rows.map(({ id }) => id);

/** Each row as "id<parent". */
test.for([
  ["rows in order stay", "1 2<1 3<2", "1 2 3"],
  ["a child follows its parent", "1<2 2", "2 1"],
  ["a chain from its end", "1<2 2<3 3 4", "3 2 1 4"],
  ["a parent that is gone: they come last", "1<9 2<1 3", "3 1 2"],
  ["a circle, and what hangs on it, come last", "1<2 2<1 3<2 4", "4 1 2 3"],
  ["a folder in itself", "1<1 2<1", "1 2"],
] as const)("%s", async ([, rows, order]) => {
  const read = rows.split(" ").map((text) => text.split("<").map(Number));
  const sorted = await ordered(read.map(([id = 0, parent]) => row([id, parent ?? null])));
  expect(numbers(sorted).join(" ")).toBe(order);
});

test("every row comes once, and after its parent unless they form a circle", async () => {
  const rows = fc.uniqueArray(fc.tuple(fc.nat(20), fc.option(fc.nat(25))).map(row), {
    selector: ({ id }) => id,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(rows, async (some) => {
      const order = await ordered(some);
      expect(numbers(order).sort()).toEqual(numbers(some).sort());
      const isIn = new Map(some.map((one) => [one.id, one]));
      const isInCircle = (one: Row) => {
        const seen = new Set<number>();
        for (let at: Row | undefined = one; at; at = isIn.get(at.parent_id ?? -1)) {
          if (seen.has(at.id)) return true;
          seen.add(at.id);
        }
        return false;
      };
      for (const [place, one] of order.entries()) {
        if (isInCircle(one) || one.parent_id === null || !isIn.has(one.parent_id)) continue;
        expect(numbers(order).indexOf(one.parent_id)).toBeLessThan(place);
      }
    }),
  );
});

test("50,000 siblings before their parent take linear time", async () => {
  const rows = Array.from({ length: 50_000 }, (_, id) => row([id, 50_000]));
  const order = await ordered([...rows, row([50_000, null])]);
  expect(order).toHaveLength(50_001);
  expect(order[0]?.id).toBe(50_000);
});
