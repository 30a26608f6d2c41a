import { expect, test } from "vitest";
import { spokenWords } from "../src/features/search/matched.ts";

test("a word that is searched for while it is typed is said once", () => {
  expect(spokenWords(["rental", "contract OR contract*"])).toBe("rental, contract");
  expect(spokenWords(["tea OR coffee", "con*"])).toBe("tea or coffee, con*");
});
