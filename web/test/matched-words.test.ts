import { expect, test } from "vitest";
import { matchedWordsText } from "../src/features/search/matched-words.ts";

test("a word that is searched for while it is typed is said once", () => {
  expect(matchedWordsText(["rental", "contract OR contract*"])).toBe("rental, contract");
  expect(matchedWordsText(["tea OR coffee", "con*"])).toBe("tea or coffee, con*");
});
