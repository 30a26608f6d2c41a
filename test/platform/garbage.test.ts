import { afterEach, expect, test } from "vitest";
import { collectGarbageAfter } from "../../src/platform/queue/garbage.ts";

// `gc` is there under `npm start` only.
const runtime = globalThis as { gc?: () => void };

afterEach(() => {
  delete runtime.gc;
});

test("garbage of small pieces is collected together, and that of a large one at once", () => {
  let collected = 0;
  runtime.gc = () => {
    collected++;
  };
  const after = (characters: number) => {
    collectGarbageAfter(characters);
    return collected;
  };
  // Whatever other tests of this process have read.
  expect(after(900_000)).toBe(1);
  expect([100_000, 100_000, 100_000, 100_000].map(after)).toEqual([1, 1, 2, 2]);
  expect([900_000, 900_000].map(after)).toEqual([3, 4]);
});
