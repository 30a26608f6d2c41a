import { expect, test } from "vitest";
import { retryDelayMs } from "../../web/src/api/retry-delay.ts";

test.each([
  [0, 1000],
  [1, 2000],
  [4, 16_000],
  [5, 30_000],
  [2000, 30_000],
])("after %i failed attempts the app waits at most %i ms, and at least half of it", (attempts, most) => {
  expect(retryDelayMs(attempts, 0)).toBe(most);
  expect(retryDelayMs(attempts, 1)).toBe(most / 2);
});

test("a hundred tabs that are looked at ask a service that does not answer less than ten times a second", () => {
  const MINUTES = 10;
  let asked = 0;
  for (let tab = 0; tab < 100; tab++) {
    for (let [at, attempts] = [0, 0]; at < MINUTES * 60_000; attempts++) {
      at += retryDelayMs(attempts);
      asked += 1;
    }
  }
  expect(asked / (MINUTES * 60)).toBeLessThan(10);
});
