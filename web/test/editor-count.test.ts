import { Text } from "@codemirror/state";
import { expect, test } from "vitest";
import { countDocument, countText, readingMinutes } from "../src/features/document/editor/count.ts";

test.for([
  ["", 0, 0],
  ["Two words", 2, 9],
  ["## A **bold** word's end\n", 4, 24],
  ["- [ ] one task\n- [x] 3.5 kB", 5, 26],
  ["don’t e-mail it", 3, 15],
  ["我们写字", 4, 4],
  ["naïve café 👩‍💻", 2, 14],
] as const)("%j has %i words and %i characters", ([text, words, characters]) => {
  expect(countText(text)).toEqual({ words, characters });
});

test("a minute is for 230 words", () => {
  expect([0, 1, 230, 231].map((words) => readingMinutes({ words, characters: 0 }))).toEqual([0, 1, 1, 2]);
});

const textOf = (lines: number) =>
  Text.of(Array.from({ length: lines }, (_, number) => `Line ${number} of a – long – text`));

test("a text in the editor is counted as a whole, also after it was changed", () => {
  const before = textOf(500);
  expect(countDocument(before)).toEqual(countText(before.toString()));
  const after = before.replace(300, 4000, Text.of(["in the", "", "middle"])).append(textOf(90));
  expect(countDocument(after)).toEqual(countText(after.toString()));
});
