import { expect, test } from "vitest";
import { safeFileName } from "../src/features/files/file-facts.ts";
import { blockInsertion } from "../src/features/files/insert-files.ts";
import {
  altTextChanges,
  applyTextChanges,
  fileMarkdown,
  haveDifferentFiles,
  parseFileReference,
  referenceChanges,
  referencedFileIds,
} from "../src/features/files/reference.ts";
import { uniqueNames } from "../src/features/files/zip-files.ts";

const ID = "0b1c7d8e-3c52-4f0c-9f0e-3f0f6c0f2a11";
const KEY = "0123456789abcdef0123456789abcdef";

test("a text names files by their ids, and those that wait by their keys", () => {
  expect(parseFileReference(`file:${ID}`)).toEqual({ id: ID });
  expect(parseFileReference(`file:waiting-${KEY}`)).toEqual({ key: KEY });
  for (const other of ["file:///etc/passwd", `file:${ID}x`, "file:waiting-1", `https://a.example/file:${ID}`])
    expect(parseFileReference(other)).toBeUndefined();
  expect([...referencedFileIds(`![a](file:${ID}) and [b](file:${ID}), not file:${KEY}`)]).toEqual([ID]);
});

test("texts name other files wherever they name them: not only as an address", () => {
  const link = `[a](file:${ID})`;
  expect(haveDifferentFiles(link, `${link} and again ${link}`)).toBe(false);
  expect(haveDifferentFiles("", `[a]: file:${ID}`)).toBe(true);
  expect(haveDifferentFiles(`see file:${ID}`, "")).toBe(true);
  expect(haveDifferentFiles(link, link.replace("0b", "0c"))).toBe(true);
});

test("what has arrived is named by its id wherever it stands", () => {
  const text = `![](file:waiting-${KEY})\n[a](file:waiting-${KEY})`;
  expect(applyTextChanges(text, referenceChanges(text, `file:waiting-${KEY}`, `file:${ID}`))).toBe(
    `![](file:${ID})\n[a](file:${ID})`,
  );
});

test.each([
  ["a\n![b](NAME)\nc", "a\nc"],
  ["a ![b](NAME) c", "a  c"],
  ["[b \\[c\\]](NAME)", ""],
  ["![b](NAME)", ""],
])("what is left out goes with its words: %j", (text, after) => {
  const name = `file:waiting-${KEY}`;
  const given = text.replace("NAME", name);
  expect(applyTextChanges(given, referenceChanges(given, name, undefined))).toBe(after);
});

test("a picture is described in the text", () => {
  const text = `a ![](file:${ID}) b`;
  const after = applyTextChanges(text, altTextChanges(text, `file:${ID}`, "Two ] brackets\nand a line"));
  expect(after).toBe(`a ![Two \\] brackets and a line](file:${ID}) b`);
  expect(fileMarkdown("file:x", false, "a [b]")).toBe("[a \\[b\\]](file:x)");
});

test.each([
  ["", 0, "P\n\n", 3],
  ["a", 1, "a\n\nP\n\n", 6],
  ["a\n", 2, "a\n\nP\n\n", 6],
  ["a\n\n", 3, "a\n\nP\n\n", 6],
  ["a\n\nb", 1, "a\n\nP\n\nb", 6],
  ["a b\n\nc", 1, "a b\n\nP\n\nc", 8],
])("a picture stands in lines of its own: %j at %i", (text, at, after, cursor) => {
  const { cursor: place, ...change } = blockInsertion(text, at, "P");
  expect(applyTextChanges(text, [change])).toBe(after);
  expect(place).toBe(cursor);
});

test("many names take no time that grows with their square", () => {
  const name = `file:waiting-${KEY}`;
  const text = `${"[".repeat(2000)}](${name})`.repeat(200);
  const begun = performance.now();
  referenceChanges(text, name, undefined);
  altTextChanges(text, name, "x");
  expect(performance.now() - begun).toBeLessThan(1000);
});

test("a name that turns its own direction does not, and a zip has each name once", () => {
  expect(safeFileName("a\u202egpj.exe")).toBe("a\ufffdgpj.exe");
  const names = ["a.png", "A.png", "../b/c", "a (2).png"].map((name) => ({ id: ID, name }));
  expect(uniqueNames(names)).toEqual(["a.png", "A (2).png", "-b-c", "a (2) (2).png"]);
});
