import { expect, test } from "vitest";
import { divideText } from "../src/features/document/chunks.ts";

// A long text is divided into chunks of whole blocks.

const PARAGRAPH = "Words of a paragraph. ".repeat(30).trim();
const many = (count: number, block: (number: number) => string) =>
  Array.from({ length: count }, (_, n) => block(n));

const chunksOf = (text: string) => divideText(text).chunks.map(({ from, to }) => text.slice(from, to));

const FENCE = `\`\`\`js\n${"const a = 1;\n\n".repeat(80)}\`\`\``;
const LIST = many(60, (n) => `- item ${n}\n\n  more of it\n  - inner`).join("\n");
const QUOTE = many(8, (n) => `> ${PARAGRAPH} ${n}`).join("\n>\n");

test("a short text is one chunk, and a longer one is divided without losing anything", () => {
  expect(chunksOf("# One\n\nTwo")).toEqual(["# One\n\nTwo"]);
  expect(divideText("").chunks).toEqual([]);
  const text = many(40, (n) => `## Part ${n}\n\n${PARAGRAPH}\n\n${FENCE}\n\n${LIST}\n\n${QUOTE}`).join(
    "\n\n",
  );
  const chunks = chunksOf(text);
  expect(chunks.join("")).toBe(text);
  expect(chunks.length).toBeGreaterThan(40);
  expect(chunks.length).toBeLessThan(text.length / 2000);
});

test("blocks that are not too long stay whole", () => {
  const blocks = many(30, (n) => [PARAGRAPH, FENCE, LIST, QUOTE][n % 4] ?? "");
  const text = blocks.join("\n\nbetween\n\n");
  for (const chunk of chunksOf(text)) {
    expect(chunk.match(/^```/gm)?.length ?? 0).toSatisfy((count: number) => count % 2 === 0);
    expect(chunk).toMatch(/^(?:Words|```|- item 0\n|> Words|between)/);
  }
});

test("a list, a table and code that are too long are continued", () => {
  const table = `| a | b |\n|---|:-:|\n${"| one | two |\n".repeat(2000)}`;
  const list = many(3000, (n) => `${n + 5}. item`).join("\n");
  const code = `\`\`\`js\n${"const a = 1;\n".repeat(5000)}\`\`\`\n`;
  const continued = (text: string) =>
    divideText(text)
      .chunks.slice(1)
      .map((chunk) => chunk.continued);
  expect(new Set(continued(table).map((one) => one?.opening))).toEqual(new Set(["| a | b |\n|---|:-:|\n"]));
  expect(new Set(continued(code).map((one) => one?.opening))).toEqual(new Set(["```js\n"]));
  const { chunks } = divideText(list);
  expect(chunks.length).toBeGreaterThan(3);
  for (const { from, continued: one } of chunks.slice(1))
    expect(list.slice(from)).toMatch(new RegExp(`^${one?.number}\\. item`));
});

test("one line that is too long, and nesting that is too deep", () => {
  for (const [text, longest] of [
    ["word ", 10_000],
    ["*a_ ", 2000],
    ["]", 2000],
  ] as const)
    expect(chunksOf(text.repeat(100_000)).every(({ length }) => length <= longest)).toBe(true);
  // Not its block, where that would be seen.
  for (const text of [
    "some more **words** ".repeat(450),
    `> ${"word ".repeat(1500)}`,
    `| ${"a | ".repeat(1500)}\n|${" - |".repeat(1500)}`,
  ])
    expect(chunksOf(`${PARAGRAPH}\n\n${text}\n\n${PARAGRAPH}`).some((chunk) => chunk.includes(text))).toBe(
      true,
    );
  expect(divideText(">".repeat(20_000)).chunks[0]?.isTooDeep).toBe(true);
});

test("a megabyte of anything is divided in linear time", () => {
  const started = performance.now();
  for (const part of ["[", "- ", "> ", "`", "*a_ ", "| ", "1. a\n", "[^a]: b\n\n", "# a\n"])
    divideText(part.repeat(1_000_000 / part.length));
  expect(performance.now() - started).toBeLessThan(20_000);
});
