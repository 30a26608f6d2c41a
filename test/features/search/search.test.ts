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
import { find, search, write } from "../../kit/search.ts";
import { isThorough } from "../../kit/time-limits.ts";

describe("a search", () => {
  test("answers as specified", async () => {
    const ada = await person();
    const folder = await ada.ok(createFolderRoute, { json: { name: "Trips" } });
    const note = await write(ada, "Packing list", "passport and toothbrush", {
      tags: ["travel"],
      folder_id: folder.id,
    });
    const answer = await search(ada, "passport");
    expect(answer).toMatchObject({ total: 1, query: "passport" });
    expect(answer.results[0]).toMatchObject({
      document: {
        id: note.id,
        title: "Packing list",
        tags: ["travel"],
        source_type: "api",
        updated_at: note.updated_at,
        changed_at: note.changed_at,
        folder_id: folder.id,
      },
      snippet: "passport and toothbrush",
    });
    expect(answer.results[0]?.score).toBeGreaterThan(0);
  });

  test("puts documents with all words first, and says when some are missing", async () => {
    const ada = await person();
    await write(ada, "one", "apple apple apple apple");
    await write(ada, "both", "a long text with an apple somewhere and then, much later, a pear too");
    await write(ada, "none", "nothing of the kind");
    const answer = await search(ada, "apple pear");
    expect(documentResults(answer).map(({ title }) => title)).toEqual(["both", "one"]);
    expect(answer.results.map(({ matched }) => matched)).toEqual([undefined, ["apple"]]);
    expect(answer.total).toBe(2);
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
    expect(await find(ada, "before")).toEqual([]);
    expect(await find(ada, "after")).toEqual(["note"]);
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
      [0, 10, 20].map((offset) => search(ada, "same text", { limit: 10, offset })),
    );
    expect(pages.map(({ total }) => total)).toEqual([25, 25, 25]);
    const ids = pages.flatMap((page) => documentResults(page).map(({ id }) => id));
    expect(new Set(ids).size).toBe(25);
    expect(await search(ada, "same", { offset: 25 })).toMatchObject({ results: [], total: 25 });
  });

  test.for([
    [{ q: "" }, "q"],
    [{ q: "x".repeat(501) }, "q"],
    [{ q: "x", limit: 101 }, "limit"],
    [{ q: "x", offset: -1 }, "offset"],
    [{ q: "x", folder_id: "7" }, "folder_id"],
    [{}, "q"],
  ] as const)("refuses %j", async ([query, field]) => {
    const ada = await person();
    const refusal = await ada.refusal(searchRoute, { query });
    expect(refusal).toMatchObject({ status: 422, detail: expect.stringMatching(new RegExp(`^${field}: `)) });
  });
});

describe("any script and spelling", () => {
  const TEXTS: [string, string, string[]][] = [
    [
      "German",
      "Die Straßenbahn fährt über die Brücke zum Möbelhaus",
      ["strassenbahn", "STRASSENBAHN", "brucke", "Brücken", "möbel"],
    ],
    ["Russian", "Ёлки в лесу растут быстро", ["елки", "ёлки", "лесу", "растут"]],
    ["Greek", "Ο γρήγορος σκύλος της πόλης", ["σκυλος", "σκύλος", "ΣΚΎΛΟΣ", "πολησ"]],
    ["Chinese", "我们在北京大学学习计算机科学", ["北京", "大学", "计算机", "学", "京大"]],
    ["Japanese", "東京都の図書館で本を読みました", ["東京", "図書館", "本", "京都"]],
    ["Thai", "ทีมรับของแพนเธอร์สชนะการแข่งขัน", ["แพนเธอร์ส", "แข่งขัน"]],
    ["Arabic", "ذهب الطالب إلى المدرسة", ["طالب", "المدرسة", "مدرسه"]],
    ["Hindi", "बच्चे स्कूल में पढ़ते हैं", ["स्कूल", "बच्चे"]],
    ["Korean", "학생들이 도서관에서 공부합니다", ["도서관", "학생"]],
    [
      "code",
      "call getUserById(gen-itgc, foo_bar) in v1.2.3 or mail ada@example.com",
      [
        "getUserById",
        "getuserbyid",
        "user",
        "gen-itgc",
        "gen",
        "foo_bar",
        "bar",
        "v1.2.3",
        "1.2.3",
        "ada@example.com",
        "example",
      ],
    ],
    ["emoji", "ship it 🚀 today", ["🚀", "ship"]],
  ];

  test.for(TEXTS)("%s", async ([, text, queries]) => {
    const ada = await person();
    await write(ada, "here", text);
    await write(ada, "elsewhere", "quite another thing");
    for (const q of queries) expect([q, await find(ada, q)]).toEqual([q, ["here"]]);
  });

  test("finds a document by every word in it", async () => {
    const ada = await person();
    for (const [title, text] of TEXTS) await write(ada, title, text);
    const segmenter = new Intl.Segmenter("und", { granularity: "word" });
    for (const [title, text] of TEXTS) {
      const words = [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike);
      for (const { segment } of words)
        expect([segment, await find(ada, segment)]).toEqual([segment, expect.arrayContaining([title])]);
    }
  });
});

describe("a snippet", () => {
  const FILLER = "Nothing to see in this sentence at all. ".repeat(200);

  test("is the passage with the most matches, verbatim", async () => {
    const ada = await person();
    const text = `${FILLER}One needle. ${FILLER}A needle in a haystack, right here. ${FILLER}`;
    await write(ada, "long", text);
    const [result] = (await search(ada, "needle haystack")).results;
    expect(result?.snippet).toContain("A needle in a haystack, right here.");
    expect(text).toContain(result?.snippet);
    expect(result?.snippet.length).toBeLessThanOrEqual(240);
  });

  // 200 kB, in which each word of the question occurs from the beginning on.
  const ALONE = "The boiler is in the cellar. The landlord lives upstairs. The service is good. ".repeat(20);
  const CHAPTERS = Array.from({ length: 130 }, (_, number) => `# Chapter ${number}\n\n${ALONE}`).join("\n\n");
  const ANSWER = "The landlord pays for the boiler service, every second year.";

  test.for([
    ["landlord boiler service", ""],
    ['"boiler service"', ""],
    ['landlord "boiler service" cellar upstairs good', `${ALONE}\n\n`],
  ] as const)(
    "of %s shows the answer at the end of a long text, and says where it is",
    async ([q, after]) => {
      const ada = await person();
      const text = `${CHAPTERS}\n\n# Contract\n\n## Heating\n\n${ANSWER}\n\n# The end\n\n${after}`;
      expect(text.length).toBeGreaterThan(200_000);
      await write(ada, "House", text);
      await write(ada, "Short", `# Heating\n\n${ANSWER}`);
      await write(ada, "Plain", ANSWER);
      const { results } = await search(ada, q);
      const found = new Map(
        results.map((result) => ["document" in result ? result.document.title : "", result]),
      );
      const part = Math.ceil(text.indexOf(ANSWER) / 40_000);
      expect(found.get("House")).toMatchObject({ heading: "Heating", part });
      expect(found.get("House")?.snippet).toContain(ANSWER);
      expect(found.get("Short")).toMatchObject({ heading: "Heating" });
      for (const field of ["heading", "part"]) expect(found.get("Plain")).not.toHaveProperty(field);
      expect(found.get("Short")).not.toHaveProperty("part");
    },
  );

  test("marks the matches in escaped HTML on request", async () => {
    const ada = await person();
    await write(ada, "html", "<b>Ducks & geese</b> are birds; a duck's call");
    const [result] = (await search(ada, "duck", { highlight: "mark" })).results;
    expect(result?.snippet).toBe(
      "&lt;b&gt;<mark>Ducks</mark> &amp; geese&lt;/b&gt; are birds; a <mark>duck</mark>&#39;s call",
    );
  });

  test("is the beginning of the text when the title matched", async () => {
    const ada = await person();
    await write(ada, "Zebra", `The first words. ${FILLER}`);
    expect((await search(ada, "zebra")).results[0]?.snippet).toMatch(/^The first words\./);
    await write(ada, "Yak");
    expect((await search(ada, "yak")).results[0]?.snippet).toBe("");
  });

  test.runIf(isThorough)(
    "is omitted if a page has more than 8 MiB of text, and the answer says so",
    async () => {
      const ada = await person();
      for (let n = 0; n < 10; n++) await write(ada, `long ${n}`, `${"filler ".repeat(140_000)} needle`);
      await write(ada, "short", "needle");
      const answer = await search(ada, "needle");
      expect(answer.total).toBe(11);
      const empty = answer.results.filter(({ snippet }) => snippet === "");
      expect(empty).toHaveLength(2);
      expect(answer.snippets_omitted).toBe(2);
      const page = await search(ada, "needle", { limit: 8 });
      expect(page.results.every(({ snippet }) => snippet.includes("needle"))).toBe(true);
      expect(page.snippets_omitted).toBeUndefined();
    },
  );

  test("comes from the far end of a text of a megabyte", async () => {
    const ada = await person();
    await write(ada, "huge", `${"filler ".repeat(140_000)} the needle at the end`);
    expect((await search(ada, "needle")).results[0]?.snippet).toContain("the needle at the end");
  });
});
