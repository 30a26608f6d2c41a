import { expect, test } from "vitest";
import { linkKey } from "../../../src/shared/markdown/note-links.ts";
import { withRenamedLinks } from "../../../src/shared/markdown/rename-links.ts";

const renamed = (text: string, to = "New (1) name", keys = ["Old", "People/Old"]) =>
  withRenamedLinks([text], { from: "Old", to, keys: new Set(keys.map(linkKey)) })?.[0];

test.each([
  ["See [[Old]] and [[old|Old]].", "See [[New (1) name]] and [[New (1) name|Old]]."],
  [
    "![[People/OLD#Old|Old]] [[ Old ]] [[Old.md]]",
    "![[People/New (1) name#Old|Old]] [[ New (1) name ]] [[New (1) name.md]]",
  ],
  ["| [[Old\\|words]] |", "| [[New (1) name\\|words]] |"],
  [
    "[Old](../People/Old.md#Old) [x](<Old.md>)",
    "[Old](../People/New%20%281%29%20name.md#Old) [x](<New%20%281%29%20name.md>)",
  ],
  ["[x]: Old.md", "[x]: New%20%281%29%20name.md"],
  ["`[[Old]]` [[Other/Old]] [[Older]] [[doc:01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42]]", undefined],
  ["[[Old]] [[new (1) NAME]]", undefined],
])("the links in %j", (text, expected) => {
  expect(renamed(text)).toBe(expected);
});

test("a title that cannot be written in a link is not", () => {
  for (const title of ["a]b", "a|b", "a#b", "a/b", "a\nb"]) expect(renamed("[[Old]]", title)).toBeUndefined();
});

test("a title that would not be read as a link there is not written", () => {
  const titles = [
    "Use `npm`",
    "doc: notes",
    "mem:4",
    "file: a",
    "..",
    "x\\",
    "Plan.md",
    `${"x".repeat(499)}é${"y".repeat(2)}`,
  ];
  for (const title of titles) expect(renamed("[[Old|words]] [[Other]]", title), title).toBeUndefined();
  expect(renamed("![[Old]]", "a.png")).toBeUndefined();
  expect(renamed("[[Old]]", "a.png")).toBe("[[a.png]]");
});

test("front matter stays readable", () => {
  const matter = (link: string) => `---\nup: ${link}\n---\n[[Old]]`;
  const rename = (link: string, to: string) =>
    renamed(matter(link), to)?.split("\n")[1]?.slice("up: ".length);
  expect(rename('"[[Old]]"', "The plan: 1")).toBe('"[[The plan: 1]]"');
  expect(rename('"[[Old]]"', 'The "plan"')).toBe('"[[Old]]"');
  expect(rename("'[[Old]]'", "Ada's")).toBe("'[[Old]]'");
  expect(rename("[[Old]]", "New one")).toBe("[[New one]]");
  expect(rename("[[Old]]", "a: {b")).toBe("[[Old]]");
});

test("a text that would grow much stays as it is", () => {
  expect(renamed("[[Old]]".repeat(2_000), "x".repeat(100))).toBeUndefined();
});
