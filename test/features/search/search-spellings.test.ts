import { expect, test } from "vitest";
import { splitWords } from "../../../src/shared/text/words.ts";
import { person } from "../../kit/client.ts";
import { find, search, titleOf, write } from "../../kit/search.ts";

// What people write in more than one way, and search for in another.

const X_RAYS = ["an xray later", "my x ray pictures", "the x-ray hurt"];
const NUMBERS = ["+49 170 1234567 Bert", "+491701234567 Anna", "0170/123 45 67 Carl"];

/** Each query finds exactly these of the texts with all its words, without a correction. */
const CASES: Record<string, { texts: string[]; finds: [q: string, found: string[]][] }> = {
  "C, C++ and C# are three languages": {
    texts: ["a course on C", "a course on C++17 for us", "a course on (C#)", "a course on F#"],
    finds: [
      ["C++", ["a course on C++17 for us"]],
      ["c#", ["a course on (C#)"]],
      ["C", ["a course on C"]],
      ["f#", ["a course on F#"]],
      ['"on C++"', ["a course on C++17 for us"]],
      ["course -c++ -c", ["a course on (C#)", "a course on F#"]],
    ],
  },
  "x-ray is found in one word, in two, and with a hyphen": {
    texts: X_RAYS,
    finds: ["x-ray", "xray", "x ray"].map((q) => [q, X_RAYS]),
  },
  "a telephone number is found with or without its country's code, however it is grouped": {
    texts: [...NUMBERS, "+49 170 7654321 Dora"],
    finds: [
      ...["+491701234567", "+49 170 1234567", "+49 (0)170 1234567"],
      ...["01701234567", "0170 1234567", "0170-1234567"],
    ].map((q) => [q, NUMBERS]),
  },
  "umlauts are found in two letters": {
    texts: ["Herr Öztürk", "Frau Oeztuerk", "ein Straßenschild in Århus"],
    finds: [
      ["oeztuerk", ["Frau Oeztuerk", "Herr Öztürk"]],
      ["Öztürk", ["Frau Oeztuerk", "Herr Öztürk"]],
      ["Ozturk", ["Herr Öztürk"]],
      ["strassenschild", ["ein Straßenschild in Århus"]],
      ["aarhus", ["ein Straßenschild in Århus"]],
    ],
  },
};

test.for(Object.entries(CASES))("%s", async ([, { texts, finds }]) => {
  const ada = await person();
  for (const text of texts) await write(ada, text, text);
  for (const [q, expected] of finds) {
    const { results, corrected } = await search(ada, q, { limit: 100 });
    const complete = results.filter(({ matched }) => matched === undefined).map(titleOf);
    expect([q, complete.toSorted(), corrected]).toEqual([q, expected, undefined]);
  }
});

test("C++ is found wherever a text without spaces is cut to be read", () => {
  const at = (place: number) => `${"我".repeat(place)} C++ ${"是".repeat(3000)}`;
  for (let place = 1985; place <= 2005; place++)
    expect([place, splitWords(at(place)).filter(({ text }) => text === "c++").length]).toEqual([place, 1]);
});

test("the last part of a long word finds it, after the texts that have the word itself", async () => {
  const ada = await person();
  const words = "Handwerkerrechnungen,Rechnung Müller,Mietverträge,Einkommensteuer,Rechenzentrum";
  for (const text of words.split(",")) await write(ada, text, text);
  for (const [q, titles] of [
    ["Rechnung", ["Rechnung Müller", "Handwerkerrechnungen"]],
    ["rechnungen", ["Rechnung Müller", "Handwerkerrechnungen"]],
    ["Vertrag", ["Mietverträge"]],
    ["Steuer", ["Einkommensteuer"]],
    ["Zentren", []],
  ] as const)
    expect([q, await find(ada, q)]).toEqual([q, titles]);
  const [only] = (await search(ada, "Vertrag", { highlight: "mark" })).results;
  expect(only).toMatchObject({ matched: ["*vertrag"], snippet: "<mark>Mietverträge</mark>" });
});

test("what was found in another spelling is marked in the snippet, also at the end of a long text", async () => {
  const ada = await person();
  const filler = "Nichts von alledem. ".repeat(8000);
  await write(ada, "long", `${filler} An x-ray of Öztürk, who has 0170/123 45 67. ${filler}`);
  await write(ada, "near", `Handwerkerrechnung und Arztrechnung und x-ray. ${filler} x-ray allein`);
  const snippetOf = async (q: string, title: string) =>
    (await search(ada, q, { highlight: "mark" })).results.find((result) => titleOf(result) === title)
      ?.snippet;
  for (const [q, marked] of [
    ["xray", "x-ray"],
    ["oeztuerk", "Öztürk"],
    ["+49 170 1234567", "0170/123 45 67"],
  ] as const)
    expect(await snippetOf(q, "long")).toContain(`<mark>${marked}</mark>`);
  // The best passage has most of the words.
  for (const word of ["Handwerkerrechnung", "Arztrechnung", "x-ray"])
    expect(await snippetOf("rechnung xray", "near")).toContain(`<mark>${word}</mark>`);
});
