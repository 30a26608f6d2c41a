import fc from "fast-check";
import { expect, test } from "vitest";
import { checkBodyShape } from "../../src/platform/http/body-shape.ts";

const MAX_DEPTH = 64;
const MAX_NAMES = 10_000;

const encoder = new TextEncoder();

const isRefused = (text: string, type = "application/json"): boolean => {
  try {
    checkBodyShape(encoder.encode(text), type);
    return false;
  } catch (problem) {
    expect(problem).toMatchObject({ status: 400 });
    return true;
  }
};

/** How deep a value is nested, and how many names are in it: by what JSON.parse makes of it, not by its text. */
function shapeOf(value: unknown): { depth: number; names: number } {
  if (typeof value !== "object" || value === null) return { depth: 0, names: 0 };
  const within = Object.values(value).map(shapeOf);
  return {
    depth: 1 + Math.max(0, ...within.map(({ depth }) => depth)),
    names: within.reduce((sum, { names }) => sum + names, Array.isArray(value) ? 0 : within.length),
  };
}

/** Text that means something outside of a string. */
const sign = fc.constantFrom("{", "}", "[", "]", ":", '"', "\\", ",", "ü", "\u{1f600}", "\n", "a");
const words = fc.oneof(fc.string({ unit: sign, maxLength: 12 }), fc.string({ maxLength: 12 }));

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    words,
    fc.constantFrom(0, null, true, 1e300),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(words, tie("tree"), { maxKeys: 4 }),
  ),
}));

/** A value nested in further arrays and objects. */
const nested = fc
  .tuple(tree, fc.array(words, { maxLength: MAX_DEPTH + 3 }), fc.boolean())
  .map(([value, around, inArrays]) =>
    around.reduce<unknown>(
      (within, name, place) => (inArrays && place % 2 === 0 ? [within] : { [name]: within }),
      value,
    ),
  );

test("JSON is refused exactly when it is nested more than 64 levels deep, whatever its strings say", () => {
  const space = fc.constantFrom("", " ", "\t\n", "\ufeff", "\r\n  ");
  fc.assert(
    fc.property(nested, space, fc.constantFrom(0, 1, "\t"), (value, before, indent) => {
      const text = before + JSON.stringify(value, null, indent);
      expect(isRefused(text)).toBe(shapeOf(value).depth > MAX_DEPTH);
    }),
  );
});

test("and when it has more than 10,000 names, wherever they are", () => {
  const inside = fc.array(fc.dictionary(words, words, { maxKeys: 5 }), { maxLength: 20 });
  fc.assert(
    fc.property(inside, fc.constantFrom(-1, 0, 1), (others, more) => {
      const count = MAX_NAMES + more - shapeOf(others).names;
      const names = Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}:"{`, 0]));
      const text = JSON.stringify([others, names]);
      expect(shapeOf(JSON.parse(text)).names).toBe(MAX_NAMES + more);
      expect(isRefused(text)).toBe(more > 0);
    }),
    { numRuns: 10 },
  );
});

test("a list may have any length, and what is not JSON is not refused here", () => {
  expect(isRefused(`[${"{},".repeat(300_000)}{}]`)).toBe(false);
  expect(isRefused("a=".repeat(100_000))).toBe(false);
  for (const text of ["", "   ", '"', '["', '["\\', "]]]]", "{".repeat(MAX_DEPTH)])
    expect(isRefused(text)).toBe(false);
});

test("a form may have 100 fields, also if some of them are empty", () => {
  const form = "application/x-www-form-urlencoded";
  const fields = (count: number) =>
    Array.from({ length: count }, (_, n) => (n % 3 === 0 ? "" : `f${n}=1`)).join("&");
  for (const type of [form, form.toUpperCase(), `${form}; charset=utf-8`]) {
    expect(isRefused(fields(100), type)).toBe(false);
    expect(isRefused(fields(101), type)).toBe(true);
  }
  expect(isRefused(fields(101), "text/plain")).toBe(false);
});
