import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MUTATIONS } from "../mutations/mutations.ts";

test.each(MUTATIONS)("the mutation fits the code: $breaks", ({ path, from, to }) => {
  expect(readFileSync(path, "utf8").split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
});
