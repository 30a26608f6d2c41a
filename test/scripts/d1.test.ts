import { expect, test } from "vitest";
import { inlineNonText } from "../../scripts/common/d1.ts";

test("values are written into a statement in the places of their parameters only", () => {
  expect(inlineNonText("SELECT ?, '? it''s', \"?\", ? WHERE a = ? LIMIT +?", [1, "x?", null, 20])).toEqual({
    sql: "SELECT 1, '? it''s', \"?\", ? WHERE a = NULL LIMIT +20",
    params: ["x?"],
  });
});
