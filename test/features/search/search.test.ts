import { describe, expect, test } from "vitest";
import { documentResults } from "../../../src/contract/search.ts";
import {
  createDocumentRoute,
  deleteDocumentRoute,
  updateDocumentRoute,
} from "../../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { person } from "../../kit/client.ts";
import { find, search, titleOf, write } from "../../kit/search.ts";
import { isThorough } from "../../kit/time-limits.ts";

describe("a search", () => {
  test("answers with the document, a snippet and a score", async () => {
    const ada = await person();
    const folder = await ada.ok(createFolderRoute, { json: { name: "Trips" } });
    const { id, updated_at, changed_at } = await write(ada, "Packing list", "passport and toothbrush", {
      tags: ["travel"],
      folder_id: folder.id,
    });
    const answer = await search(ada, "passport");
    const document = { id, title: "Packing list", tags: ["travel"], source_type: "api", updated_at };
    expect(answer).toMatchObject({
      ...{ total: 1, query: "passport" },
      results: [
        {
          document: { ...document, changed_at, folder_id: folder.id },
          snippet: "passport and toothbrush",
        },
      ],
    });
    expect(answer.results[0]?.score).toBeGreaterThan(0);
  });

  test("puts documents with all words first, and says which are missing", async () => {
    const ada = await person();
    await write(ada, "one", "apple apple apple apple");
    await write(ada, "both", "a long text with an apple somewhere and then, much later, a pear too");
    await write(ada, "none", "nothing of the kind");
    const { results, total } = await search(ada, "apple pear");
    expect(results.map((result) => [titleOf(result), result.matched])).toEqual([
      ["both", undefined],
      ["one", ["apple"]],
    ]);
    expect(total).toBe(2);
  });

  test("gives a word in the title more weight", async () => {
    const ada = await person();
    await write(ada, "about pears", "an apple");
    await write(ada, "about apples", "a pear");
    expect(await find(ada, "apple")).toEqual(["about apples", "about pears"]);
  });

  test("reflects creations, changes and deletions immediately", async () => {
    const ada = await person();
    const { id } = await write(ada, "note", "before");
    expect(await find(ada, "before")).toEqual(["note"]);
    const params = { document_id: id };
    await ada.ok(updateDocumentRoute, { params, json: { content: { text: "after" } } });
    expect([await find(ada, "before"), await find(ada, "after")]).toEqual([[], ["note"]]);
    await ada.call(deleteDocumentRoute, { params });
    expect(await search(ada, "after")).toMatchObject({ results: [], total: 0 });
  });

  test("finds every string of a content that is not prose, and tags", async () => {
    const ada = await person();
    const content = { who: "Grace", list: [{ deep: ["Hopper", 7] }], format: "punchcard" };
    await ada.ok(createDocumentRoute, { json: { title: "person", content, tags: ["compiler pioneers"] } });
    for (const q of ["grace", "hopper", "punchcard", "pioneer"])
      expect(await find(ada, q)).toEqual(["person"]);
  });

  test("pages without gaps or duplicates, with an exact total", async () => {
    const ada = await person();
    await Promise.all(Array.from({ length: 25 }, (_, index) => write(ada, `t${index}`, "the same text")));
    const pages = await Promise.all(
      [0, 10, 20, 25].map((offset) => search(ada, "same text", { limit: 10, offset })),
    );
    expect(pages.map(({ total, results }) => [total, results.length])).toEqual([
      [25, 10],
      [25, 10],
      [25, 5],
      [25, 0],
    ]);
    expect(new Set(pages.flatMap((page) => documentResults(page).map(({ id }) => id))).size).toBe(25);
  });

  test("refuses a query of 0 or more than 500 characters and pages out of range, and names the parameter", async () => {
    const ada = await person();
    for (const [query, field] of [
      [{ q: "" }, "q"],
      [{ q: "x".repeat(501) }, "q"],
      [{}, "q"],
      [{ q: "x", limit: 101 }, "limit"],
      [{ q: "x", offset: -1 }, "offset"],
      [{ q: "x", folder_id: "7" }, "folder_id"],
    ] as const)
      expect(await ada.refusal(searchRoute, { query })).toMatchObject({
        ...{ status: 422, detail: expect.stringMatching(`^${field}: `) },
      });
  });
});

/** Texts, and other spellings by which they are found as well as by each of their words. */
const TEXTS: [script: string, text: string, queries: string][] = [
  [
    "German",
    "Die Straßenbahn fährt über die Brücke zum Möbelhaus",
    "strassenbahn STRASSENBAHN brucke Brücken möbel",
  ],
  ["Russian", "Ёлки в лесу растут быстро", "елки ёлки"],
  ["Greek", "Ο γρήγορος σκύλος της πόλης", "σκυλος ΣΚΎΛΟΣ πολησ"],
  ["Chinese", "我们在北京大学学习计算机科学", "北京 大学 计算机 学 京大"],
  ["Japanese", "東京都の図書館で本を読みました", "東京 図書館 本 京都"],
  ["Thai", "ทีมรับของแพนเธอร์สชนะการแข่งขัน", "แพนเธอร์ส แข่งขัน"],
  ["Arabic", "ذهب الطالب إلى المدرسة", "طالب مدرسه"],
  ["Hindi", "बच्चे स्कूल में पढ़ते हैं", "स्कूल बच्चे"],
  ["Korean", "학생들이 도서관에서 공부합니다", "도서관 학생"],
  [
    "code",
    "call getUserById(gen-itgc, foo_bar) in v1.2.3 or mail ada@example.com",
    "getUserById getuserbyid user gen-itgc gen foo_bar bar v1.2.3 1.2.3 ada@example.com example",
  ],
  ["emoji", "ship it 🚀 today", "🚀"],
];

test.for(TEXTS)(
  "%s: a text is found by every word in it and by other spellings",
  async ([, text, queries]) => {
    const ada = await person();
    await write(ada, "here", text);
    await write(ada, "elsewhere", "quite another thing");
    const segments = [...new Intl.Segmenter("und", { granularity: "word" }).segment(text)];
    const words = segments.flatMap(({ isWordLike, segment }) => (isWordLike ? segment : []));
    for (const q of [...words, ...queries.split(" ")]) expect([q, await find(ada, q)]).toEqual([q, ["here"]]);
  },
);

describe("a snippet", () => {
  // 200 kB, in which each word of the question occurs from the beginning on.
  const ALONE = "The boiler is in the cellar. The landlord lives upstairs. The service is good. ".repeat(20);
  const CHAPTERS = Array.from({ length: 130 }, (_, number) => `# Chapter ${number}\n\n${ALONE}`).join("\n\n");
  const ANSWER = "The landlord pays for the boiler service, every second year.";

  test.for([
    ["landlord boiler service", ""],
    ['"boiler service"', ""],
    ['landlord "boiler service" cellar upstairs good', `${ALONE}\n\n`],
  ] as const)(
    "of %s is the passage with the most matches, verbatim, with its heading and its part of a long text",
    async ([q, after]) => {
      const ada = await person();
      const text = `${CHAPTERS}\n\n# Contract\n\n## Heating\n\n${ANSWER}\n\n# The end\n\n${after}`;
      await write(ada, "House", text);
      await write(ada, "Short", `# Heating\n\n${ANSWER}`);
      await write(ada, "Plain", ANSWER);
      const { results } = await search(ada, q);
      const found = new Map(results.map((result) => [titleOf(result), result]));
      const { snippet = "", ...place } = found.get("House") ?? {};
      expect(place).toMatchObject({ heading: "Heating", part: Math.ceil(text.indexOf(ANSWER) / 40_000) });
      expect(snippet).toContain(ANSWER);
      expect(text).toContain(snippet);
      expect(snippet.length).toBeLessThanOrEqual(240);
      expect(found.get("Short")).toMatchObject({ heading: "Heating" });
      for (const field of ["heading", "part"]) expect(found.get("Plain")).not.toHaveProperty(field);
      expect(found.get("Short")).not.toHaveProperty("part");
    },
  );

  test("marks the matches in escaped HTML on request", async () => {
    const ada = await person();
    await write(ada, "html", "<b>Ducks & geese</b> are birds; a duck's call");
    const marked = async (q: string) => (await search(ada, q, { highlight: "mark" })).results[0]?.snippet;
    expect(await marked("duck")).toBe(
      "&lt;b&gt;<mark>Ducks</mark> &amp; geese&lt;/b&gt; are birds; a <mark>duck</mark>&#39;s call",
    );
    expect(await marked("gee*")).toContain("; <mark>geese</mark>&lt;");
  });

  test("is the beginning of the text when the title matched", async () => {
    const ada = await person();
    await write(ada, "Zebra", `The first words. ${"Nothing to see in this sentence at all. ".repeat(200)}`);
    expect((await search(ada, "zebra")).results[0]?.snippet).toMatch(/^The first words\./);
    await write(ada, "Yak");
    expect((await search(ada, "yak")).results[0]?.snippet).toBe("");
  });

  test("comes from the far end of a text of a megabyte", async () => {
    const ada = await person();
    await write(ada, "huge", `${"filler ".repeat(140_000)} the needle at the end`);
    expect((await search(ada, "needle")).results[0]?.snippet).toContain("the needle at the end");
  });

  test.runIf(isThorough)(
    "is omitted if a page has more than 8 MiB of text, and the answer says so",
    async () => {
      const ada = await person();
      for (let n = 0; n < 10; n++) await write(ada, `long ${n}`, `${"filler ".repeat(140_000)} needle`);
      await write(ada, "short", "needle");
      const { total, results, snippets_omitted } = await search(ada, "needle");
      const empty = results.filter(({ snippet }) => snippet === "").length;
      expect({ total, empty, snippets_omitted }).toEqual({ total: 11, empty: 2, snippets_omitted: 2 });
      const page = await search(ada, "needle", { limit: 8 });
      expect(page.results.every(({ snippet }) => snippet.includes("needle"))).toBe(true);
      expect(page.snippets_omitted).toBeUndefined();
    },
  );
});
