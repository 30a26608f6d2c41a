import { describe, expect, test } from "vitest";
import { splitWords } from "../../../src/shared/text/words.ts";
import { person } from "../../kit/client.ts";
import { find, search, write } from "../../kit/search.ts";

// What people write in more than one way, and look for in another one.

/** Each finds these titles in this order; a text is called what it says. */
const CASES: Record<string, { texts: string[]; finds: [q: string, titles: string[]][] }> = {
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
  "x-ray in one word, in two, or with a hyphen": {
    texts: ["the x-ray hurt", "an xray later", "my x ray pictures"],
    finds: [
      ["x-ray", ["an xray later", "my x ray pictures", "the x-ray hurt"]],
      ["xray", ["an xray later", "my x ray pictures", "the x-ray hurt"]],
      ["x ray", ["an xray later", "my x ray pictures", "the x-ray hurt"]],
    ],
  },
  "a telephone number": {
    texts: ["+491701234567 Anna", "+49 170 1234567 Bert", "0170/123 45 67 Carl", "+49 170 7654321 Dora"],
    finds: [
      "+491701234567",
      "+49 170 1234567",
      "+49 (0)170 1234567",
      "01701234567",
      "0170 1234567",
      "0170-1234567",
    ].map((q) => [q, ["+49 170 1234567 Bert", "+491701234567 Anna", "0170/123 45 67 Carl"]]),
  },
  "umlauts in two letters": {
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

describe.for(Object.entries(CASES))("%s", ([, { texts, finds }]) => {
  test.for(finds)("%s", async ([q, titles]) => {
    const ada = await person();
    for (const text of texts) await write(ada, text, text);
    const answer = await search(ada, q, { limit: 100 });
    const all = titles.length === 1 ? titles : titles.toSorted();
    const found = await find(ada, q, { limit: 100 });
    const complete = found.filter((_, place) => answer.results[place]?.matched === undefined);
    expect([complete.toSorted(), answer.corrected]).toEqual([all, undefined]);
  });
});

test("C++ is found wherever a text without spaces is cut to be read", async () => {
  const at = (place: number) => `${"我".repeat(place)} C++ ${"是".repeat(3000)}`;
  for (let place = 1985; place <= 2005; place++)
    expect([place, splitWords(at(place)).filter(({ text }) => text === "c++").length]).toEqual([place, 1]);
});

test("the last part of a long word finds it, after the texts that have the word itself", async () => {
  const ada = await person();
  const texts = [
    "Handwerkerrechnungen 2026",
    "Rechnung Müller",
    "Mietverträge",
    "Einkommensteuer",
    "Rechenzentrum",
  ];
  for (const text of texts) await write(ada, text, text);
  for (const [q, titles] of [
    ["Rechnung", ["Rechnung Müller", "Handwerkerrechnungen 2026"]],
    ["rechnungen", ["Rechnung Müller", "Handwerkerrechnungen 2026"]],
    ["Vertrag", ["Mietverträge"]],
    ["Steuer", ["Einkommensteuer"]],
    ["Zentren", []],
  ] as const)
    expect([q, await find(ada, q)]).toEqual([q, titles]);
  const [only] = (await search(ada, "Vertrag", { highlight: "mark" })).results;
  expect(only).toMatchObject({ matched: ["*vertrag"], snippet: "<mark>Mietverträge</mark>" });
});

test("what was found in another spelling is shown at the end of a long text, too", async () => {
  const ada = await person();
  const filler = "Nothing of all this. ".repeat(8000);
  await write(ada, "long", `${filler} An x-ray of Öztürk, who has 0170/123 45 67. ${filler}`);
  for (const [q, marked] of [
    ["xray", "x-ray"],
    ["oeztuerk", "Öztürk"],
    ["+49 170 1234567", "0170/123 45 67"],
  ])
    expect([q, (await search(ada, q as string, { highlight: "mark" })).results[0]?.snippet]).toEqual([
      q,
      expect.stringContaining(`<mark>${marked}</mark>`),
    ]);
});

test("of words that were found in other forms, the best passage has most of them, and all are marked", async () => {
  const ada = await person();
  const filler = "Nichts von alledem. ".repeat(500);
  await write(ada, "far", `Handwerkerrechnung und Arztrechnung und x-ray. ${filler} x-ray allein`);
  const [found] = (await search(ada, "rechnung xray", { highlight: "mark" })).results;
  for (const word of ["Handwerkerrechnung", "Arztrechnung", "x-ray"])
    expect(found?.snippet).toContain(`<mark>${word}</mark>`);
});
