import { expect, test } from "vitest";
import { fileFinder } from "../../../src/shared/import/file-finder.ts";

// How a note's name for a file becomes a path of what is imported.

const PATHS = ["near.png", "a/x/near.png", "a/y/near.png", "b/Near.PNG", "b/maps/city.pdf", "maps/city.pdf"];

test.each([
  ["near.png", "N.md", true, "near.png"],
  ["near.png", "b/deep/N.md", true, "b/Near.PNG"],
  ["near.png", "a/N.md", true, "a/x/near.png"],
  ["near.png", "a/N.md", false, undefined],
  ["near.png", "a/y/N.md", false, "a/y/near.png"],
  ["city.pdf", "b/N.md", false, "b/maps/city.pdf"],
  ["maps/city.pdf", "c/N.md", true, "maps/city.pdf"],
  ["other/city.pdf", "b/N.md", true, undefined],
  ["https://example.com/near.png", "N.md", true, undefined],
])("%s in %s (of a wiki: %s) is %s", (target, note, isWiki, path) => {
  expect(fileFinder(PATHS)(target, note, isWiki)).toBe(path);
});

test("of thousands of files with one name, each note has its own, without looking at all for each", () => {
  const places = Array.from({ length: 20_000 }, (_, number) => `vault/${number}`);
  const find = fileFinder(places.map((place) => `${place}/pictures/Untitled.png`));
  for (const place of places)
    expect(find("Untitled.png", `${place}/Note.md`, true)).toBe(`${place}/pictures/Untitled.png`);
});
