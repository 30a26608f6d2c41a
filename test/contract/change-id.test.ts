import { expect, test } from "vitest";
import { formatChangeId, newestChangesIn } from "../../src/contract/change-id.ts";

test.each([
  [[], undefined],
  [[57], "57"],
  [[57, 58, 59], "57-59"],
  [[59, 57, 58, 61], "57-59,61"],
  [[1, 1, 2], "1-2"],
  [Array.from({ length: 100 }, (_, index) => 2 * index + 1), expect.stringMatching(/^1,3,.*,199$/)],
  [Array.from({ length: 101 }, (_, index) => 2 * index + 1), undefined],
])("%j is named %s", (numbers, id) => expect(formatChangeId(numbers)).toEqual(id));

test.each([
  ["57", { limit: 100 }, { ids: [57] }],
  ["57-59,61", { limit: 100 }, { ids: [61, 59, 58, 57] }],
  ["57-59,61", { limit: 2 }, { ids: [61, 59], next: 59 }],
  ["57-59,61", { limit: 2, before: 59 }, { ids: [58, 57] }],
  ["57-59,61", { limit: 2, before: 57 }, { ids: [] }],
  // Each number is read once, and a long range is not counted to its end.
  ["3-1,2-4,2", { limit: 100 }, { ids: [4, 3, 2, 1] }],
  ["1-999999999999999", { limit: 2 }, { ids: [999999999999999, 999999999999998], next: 999999999999998 }],
])("%s with %j names %j", (id, page, named) => expect(newestChangesIn(id, page)).toEqual(named));
