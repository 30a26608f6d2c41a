import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyPropertyChange,
  type PropertyChange,
  propertyNameProblem,
} from "../../web/src/features/document/properties/change.ts";
import {
  changeFrontMatter,
  readFrontMatter,
  withoutFrontMatter,
} from "../../web/src/features/document/properties/front-matter.ts";
import { fieldText, parseValue } from "../../web/src/features/document/properties/value.ts";

// Properties: what a typed value is, and what a change leaves of the front matter around it.

test.for([
  ["", null],
  ["draft", "draft"],
  ["12", 12],
  ["-1.5", -1.5],
  ["true", true],
  ["null", null],
  ["[a, 2, true]", ["a", 2, true]],
  ["{a: 1}", { a: 1 }],
  ['"12"', "12"],
  ["'it''s'", "it's"],
  ["2026-12-01", "2026-12-01"],
  // What YAML would take something away from.
  ["0049", "0049"],
  ["1.10", "1.10"],
  ["a # b", "a # b"],
  ["#tag", "#tag"],
  ["Call: Ada", "Call: Ada"],
  ["*bold*", "*bold*"],
  ["- a", "- a"],
  ["'", "'"],
  ["[a", "[a"],
  ["[words](https://example.com)", "[words](https://example.com)"],
  ["[[Ada]]", "[[Ada]]"],
] as const)("%s is read as YAML reads it, if that keeps all of it", ([typed, value]) => {
  expect(parseValue(typed)).toEqual(value);
  expect(parseValue(fieldText(value))).toEqual(value);
});

test.for(["two\nlines", " spaces ", "12", "true", "", "[a]", "- a", "null", "~"])(
  "the text %j is the same after its field was opened",
  (text) => {
    expect(parseValue(fieldText(text)) ?? "").toBe(text);
  },
);

test("minus zero, which JSON keeps as zero, is no text", () => {
  expect(fieldText(-0)).toBe("0");
});

test("every value is the same after its field was opened, which is one line", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      const shown = fieldText(value).replace(/[\r\n]/g, "");
      expect(JSON.stringify(parseValue(shown) ?? "")).toBe(JSON.stringify(value ?? ""));
    }),
  );
  for (const text of ["a\n\n  b\n", "one two ".repeat(40), "x".repeat(5000), "\u2028\u0085", "a\r\nb"])
    expect(parseValue(fieldText([text]).replace(/[\r\n]/g, ""))).toEqual([text]);
});

test("a long value and a deep one are no work", () => {
  const long = "] ".repeat(500_000);
  expect(fieldText(long)).toBe(JSON.stringify(long));
  const deep = "[".repeat(10_000);
  expect(parseValue(deep)).toBe(deep);
  for (const source of [deep, "- ".repeat(9000)])
    expect(readFrontMatter(`---\n${source}\n---\n`)).toMatchObject({
      problem: expect.stringContaining("nested too deeply"),
    });
  expect(readFrontMatter(`---\n${"]".repeat(19_000)}\n---\n`)).toMatchObject({
    problem: expect.stringMatching(/ at line 1, column 1\.$/),
  });
});

const YAML = `# Mine
status: "draft"   # keep me
people:
- Ada
-   Grace

empty:
note: |
  two
  lines

flow: [a,  b]
last: 'x'
# The end
`;
const TEXT = `---\n${YAML}---\n# Plan\n\n- [ ] pack\n`;

const change = (
  one: Pick<PropertyChange, "name" | "kind"> & { typed?: string; to?: string },
): PropertyChange =>
  ({ was: "", ...one, ...(one.typed !== undefined && { value: parseValue(one.typed) }) }) as PropertyChange;

describe("front matter in the text", () => {
  const set = (name: string, typed: string) => change({ kind: "set", name, typed });
  test.for<[string, PropertyChange, string, string]>([
    ["a quoted text", set("status", "done"), 'status: "draft"   #', "status: done   #"],
    ["a list", set("people", "[Grace]"), "people:\n- Ada\n-   Grace\n", "people: [Grace]\n"],
    ["nothing", set("empty", "12"), "empty:\n", "empty: 12\n"],
    ["zeros", set("empty", "0012"), "empty:\n", 'empty: "0012"\n'],
    ["lines", set("note", "one: two"), "note: |\n  two\n  lines\n", 'note: "one: two"\n'],
    ["a list in a line", set("flow", "[a,  c]"), "[a,  b]", "[a,  c]"],
    ["to a link", set("last", "[[Ada]]"), "'x'", '"[[Ada]]"'],
    ["to nothing", set("last", ""), "last: 'x'", "last: "],
    ["a name", change({ kind: "rename", name: "flow", to: "a: b" }), "flow:", '"a: b":'],
    ["away", change({ kind: "remove", name: "people" }), "people:\n- Ada\n-   Grace\n", ""],
    ["away with a comment", change({ kind: "remove", name: "status" }), 'status: "draft"   # keep me\n', ""],
    ["lines away", change({ kind: "remove", name: "note" }), "note: |\n  two\n  lines\n", ""],
    ["one more", change({ kind: "add", name: "due", typed: "fri" }), "# The end\n", "# The end\ndue: fri\n"],
  ])("%s is changed, and every other byte stays", ([, one, before, after]) => {
    expect(TEXT.split(before)).toHaveLength(2);
    expect(changeFrontMatter(TEXT, one)).toBe(TEXT.replace(before, after));
  });

  test("goes with its last property, and keeps the line breaks of its system", () => {
    const remove = change({ kind: "remove", name: "a" });
    expect(changeFrontMatter("---\na: 1\n---\nText", remove)).toBe("Text");
    expect(changeFrontMatter("---\n# Mine\na: 1\n---\nText", remove)).toBe("---\n# Mine\n---\nText");
    const add = change({ kind: "add", name: "b", typed: "2" });
    expect(changeFrontMatter("---\r\na: 1\r\n---\r\nText", add)).toBe("---\r\na: 1\r\nb: 2\r\n---\r\nText");
    expect(changeFrontMatter("---\n---\nText", add)).toBe("---\nb: 2\n---\nText");
  });

  test("that cannot be changed without changing the rest is left to the person", () => {
    const used = "---\na: &one 1\nb: *one\n---\n";
    expect(() => changeFrontMatter(used, change({ kind: "remove", name: "a" }))).toThrow("Press Edit");
    expect(() =>
      changeFrontMatter("---\n{a: 1}\n---\n", change({ kind: "add", name: "b", typed: "2" })),
    ).toThrow("“b” can only be changed in the text");
    expect(() => changeFrontMatter("No more", change({ kind: "remove", name: "a" }))).toThrow(
      "changed elsewhere",
    );
  });

  test("has numbers as they are written, where JSON would write them in another way", () => {
    const numbers = "---\nw: 007\nv: [1.10, 2]\nx: 1\n---\n";
    expect(readFrontMatter(numbers)?.fields).toEqual({ w: "007", v: ["1.10", 2], x: 1 });
    expect(changeFrontMatter(numbers, set("x", "2"))).toBe(numbers.replace("x: 1", "x: 2"));
    expect(changeFrontMatter(numbers, set("x", "0x1F"))).toBe(numbers.replace("x: 1", 'x: "0x1F"'));
  });

  test("is read, or shown as it is written with the reason", () => {
    expect(readFrontMatter(TEXT)?.fields).toEqual({
      ...{ status: "draft", people: ["Ada", "Grace"], empty: null, note: "two\nlines\n" },
      ...{ flow: ["a", "b"], last: "x" },
    });
    for (const text of ["", "Text", "---\nprose\n---\n", "---\na: 1\n", "+++\na = 1\n+++\n"])
      expect(readFrontMatter(text)).toBeUndefined();
    expect(readFrontMatter("---\na: b: c\n---\n")).toEqual({
      problem: expect.stringMatching(/^It is not valid YAML: .* at line 1, column \d\.$/),
      source: "a: b: c\n",
    });
    for (const source of ["a: 1\na: 2\n", "a: *b\n", "a: 1\n--- b\n"])
      expect(readFrontMatter(`---\n${source}---\n`)).toMatchObject({ source });
    const long = `a: ${"x".repeat(20_000)}\n`;
    expect(readFrontMatter(`---\n${long}---\n`)).toMatchObject({
      problem: "It is too long to show as rows.",
    });
  });

  test("is blank in the text that is shown, where all else stays at its place", () => {
    const shown = withoutFrontMatter(TEXT);
    expect(shown.trim()).toBe("# Plan\n\n- [ ] pack");
    expect(shown.indexOf("- [ ]")).toBe(TEXT.indexOf("- [ ]"));
  });
});

test("properties beside the text keep their order, and names have a limit and other places", () => {
  const fields = { a: 1, b: 2, c: 3 };
  const after = (one: Parameters<typeof change>[0]) =>
    Object.entries(applyPropertyChange(fields, change(one)));
  expect(after({ kind: "set", name: "b", typed: "x" })).toEqual([
    ["a", 1],
    ["b", "x"],
    ["c", 3],
  ]);
  expect(after({ kind: "rename", name: "b", to: "z" })).toEqual([
    ["a", 1],
    ["z", 2],
    ["c", 3],
  ]);
  expect(after({ kind: "remove", name: "a" })).toEqual([
    ["b", 2],
    ["c", 3],
  ]);
  expect(propertyNameProblem("d", ["a"], false)).toBeUndefined();
  expect(propertyNameProblem("", [], false)).toBe("Enter a name");
  expect(propertyNameProblem("a", ["a"], true)).toBe("“a” already exists");
  expect(propertyNameProblem("x".repeat(201), [], true)).toContain("200");
  expect(propertyNameProblem("tags", [], false)).toContain("under Tags");
  expect(propertyNameProblem("tags", [], true)).toBeUndefined();
});
