import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../src/db/call.ts";
import { openSession } from "../src/db/session.ts";
import { createDocumentRoute, deleteDocumentRoute, updateDocumentRoute } from "../src/documents/routes.ts";
import { createFolderRoute } from "../src/folders/routes.ts";
import { archiveMemoryRoute, createMemoryRoute, updateMemoryRoute } from "../src/memories/routes.ts";
import { reindexRoute, searchRoute, suggestRoute } from "../src/search/routes.ts";
import { documentsOf, SearchQuery } from "../src/search/schema.ts";
import { search as searchStore } from "../src/search/store.ts";
import { type Client, person } from "./kit/client.ts";
import { ctxOf } from "./kit/ctx.ts";
import { metered } from "./kit/meter.ts";

const write = (client: Client, title: string, text = "", rest: Record<string, unknown> = {}) =>
  client.ok(createDocumentRoute, { json: { title, content: { format: "markdown", text }, ...rest } });
const search = (client: Client, q: string, query: Record<string, string | number | string[]> = {}) =>
  client.ok(searchRoute, { query: { q, ...query } });
const find = async (client: Client, q: string, query = {}) =>
  documentsOf(await search(client, q, query)).map(({ title }) => title);

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
    expect(documentsOf(answer).map(({ title }) => title)).toEqual(["both", "one"]);
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
    const ids = pages.flatMap((page) => documentsOf(page).map(({ id }) => id));
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

describe("the query language", () => {
  test("has phrases, beginnings, exclusions and alternatives", async () => {
    const ada = await person();
    await write(ada, "a", "the quick brown fox");
    await write(ada, "b", "a brown and quick hare");
    await write(ada, "c", "quicksilver");
    await write(ada, "d", "a lone wolf");
    expect(await find(ada, '"quick brown"')).toEqual(["a"]);
    expect((await find(ada, "quick*")).sort()).toEqual(["a", "b", "c"]);
    expect(await find(ada, "brown -fox")).toEqual(["b"]);
    expect(await find(ada, 'brown -"quick hare"')).toEqual(["a"]);
    expect((await find(ada, "fox OR wolf")).sort()).toEqual(["a", "d"]);
    expect(await find(ada, "title:c")).toEqual(["c"]);
  });

  test("has filters, which combine with the parameters", async () => {
    const ada = await person();
    const folder = await ada.ok(createFolderRoute, { json: { name: "My notes" } });
    await write(ada, "in", "word", { folder_id: folder.id, tags: ["x", "two words"] });
    await write(ada, "out", "word", { tags: ["x"] });
    expect(await find(ada, 'word folder:"my NOTES"')).toEqual(["in"]);
    const inner = await ada.ok(createFolderRoute, { json: { name: "Old", parent_id: folder.id } });
    await write(ada, "deep", "another", { folder_id: inner.id });
    const [deep] = documentsOf(await search(ada, 'another folder:"My notes/old"'));
    expect(deep).toMatchObject({ title: "deep", folder_path: "My notes/Old" });
    expect(await find(ada, 'another folder:"My notes"')).toEqual([]);
    expect(await find(ada, 'word tag:"two words"')).toEqual(["in"]);
    expect((await find(ada, "tag:x")).sort()).toEqual(["in", "out"]);
    expect(await find(ada, "tag:x word", { folder_id: folder.id })).toEqual(["in"]);
    expect(await find(ada, "word", { tag: ["x", "two words"] })).toEqual(["in"]);
    expect(await find(ada, "word source:import")).toEqual([]);
    expect(await find(ada, "word source:api before:2999-01-01 after:2020-01-01")).toHaveLength(2);
    expect(await find(ada, "word after:2999-01-01")).toEqual([]);
    expect((await search(ada, "word tag:x -other")).interpreted).toEqual({
      words: ["word"],
      excluded: ["other"],
      filters: [{ name: "tag", value: "x" }],
    });
  });

  test("requires a phrase, but not in a sentence, and not if nothing would be found", async () => {
    const ada = await person();
    await write(ada, "a", "formatting systems for text");
    await write(ada, "b", "brown and quick");
    await write(ada, "c", "the quick brown fox");
    expect(await find(ada, '"quick brown"')).toEqual(["c"]);
    expect((await search(ada, '"quick brown"')).relaxed).toBeUndefined();
    const answer = await search(ada, '"brown quick" systems');
    expect(answer.relaxed).toEqual(["brown quick"]);
    expect(answer.total).toBe(3);
    expect((await search(ada, '"no such thing" neither')).relaxed).toBeUndefined();
    const sentence = 'text formatting systems, including "what you see is what you get" systems';
    expect(documentsOf(await search(ada, sentence))[0]?.title).toBe("a");
    expect((await search(ada, sentence)).relaxed).toBeUndefined();
  });

  test("ignores the endings of contractions", async () => {
    const ada = await person();
    const words = async (q: string) => (await search(ada, q)).interpreted?.words;
    expect(await words("I'd like what we don’t have, and it's Grace's")).toEqual(["like", "grace"]);
    expect(await words("plan d")).toEqual(["plan", "d"]);
  });

  test("uses all of a question of 500 characters", async () => {
    const ada = await person();
    const question = Array.from({ length: 70 }, (_, index) => `w${100 + index}`)
      .join(" ")
      .slice(0, 500);
    await write(ada, "last", question.split(" ").at(-1));
    expect(await find(ada, question)).toEqual(["last"]);
  });

  test("explains what adds how much to a score", async () => {
    const ada = await person();
    await write(ada, "shop", "red apples and green pears");
    await write(ada, "other", "green tea");
    await write(ada, "third", "nothing");
    const [first, second] = (await search(ada, "the green pears", { explain: "true" })).results;
    const sum = first?.explanation?.reduce((total, { score }) => total + score, 0);
    expect(sum).toBeCloseTo(first?.score ?? 0);
    expect(first?.explanation?.map(({ words, because }) => [because, words])).toEqual([
      ["found", ["pears"]],
      ["found", ["green"]],
      ["near", ["green", "pears"]],
    ]);
    expect(second?.explanation).toEqual([{ words: ["green"], because: "found", score: second?.score }]);
    expect((await search(ada, "green")).results[0]?.explanation).toBeUndefined();
  });

  test("prefers the word as typed to others with the same beginning", async () => {
    const ada = await person();
    await write(ada, "a", "aliendelea kula chakula");
    await write(ada, "b", "aliendesha kula chakula");
    await write(ada, "c", "mengambil buku");
    expect(await find(ada, "aliendesha")).toEqual(["b", "a"]);
    const [first] = (await search(ada, "aliendesha", { explain: "true" })).results;
    expect(first?.explanation?.map(({ because }) => because)).toEqual(["found", "exact"]);
  });

  test("finds nothing by a word of most texts beside a rarer one, but counts it", async () => {
    const ada = await person();
    for (let n = 0; n < 59; n++) await write(ada, `t${n}`, n % 7 === 0 ? "tea" : "green tea");
    await write(ada, "both", "green tea, pears");
    await write(ada, "rare", "pears, plums");
    expect(await find(ada, "green pears")).toEqual(["both", "rare"]);
    expect((await search(ada, "green pears")).results.map(({ matched }) => matched)).toEqual([
      undefined,
      ["pears"],
    ]);
    expect((await search(ada, "green tea")).total).toBe(60);
    expect((await search(ada, "green")).total).toBe(51);
  });

  test("reports how it was interpreted", async () => {
    const ada = await person();
    await write(ada, "a title", "some text");
    const interpreted = async (q: string) => (await search(ada, q)).interpreted;
    expect(await interpreted('fox OR Wolves pre* title:Big "quick brown" -x* -"a b"')).toEqual({
      words: ["fox", "wolves", "pre*", "title:big", '"quick brown"', "quick", "brown"],
      alternatives: [["fox", "wolves"]],
      excluded: ["x*", '"a b"'],
      filters: [],
    });
    expect(await interpreted("Portland OR")).toMatchObject({ words: ["portland", "or"] });
  });

  test("reports which filters cannot match anything, and what to do", async () => {
    const ada = await person();
    await write(ada, "slides", "word");
    const notes = async (q: string, type = "documents") => (await search(ada, q, { type })).notes;
    expect(await notes("slides type:commitment")).toEqual([
      "type:commitment applies to memory records, which this search does not include: use type=all",
    ]);
    expect(await notes("status:active project:Apollo")).toHaveLength(2);
    expect(await notes("folder:Trips", "memories")).toEqual([
      "folder:Trips applies to documents, which this search does not include: use type=all",
    ]);
    expect(await notes("status:done", "all")).toEqual([
      "status:done matches nothing: the values of status are active, deferred, resolved, archived",
    ]);
    expect(await notes("type:Commitment status:active folder:x tag:y source:api", "all")).toBeUndefined();
    expect(await notes("slides type:documents")).toBeUndefined();
  });

  const OPERATORS = [
    ...[
      '"',
      "-",
      "*",
      "(",
      ")",
      "OR",
      "AND",
      "NOT",
      "NEAR",
      "^",
      ":",
      "{",
      "}",
      "+",
      "'",
      "\\",
      "%",
      "_",
      "...",
    ],
    ...["tag:", "tag:x", "folder:", "title:", "title:a", "after:", "after:2026-01-31", "before:9999-99-99"],
    ...[
      "source:api",
      "type:document",
      "status:active",
      "project:",
      'title:"a b',
      "-tag:x",
      "pre*",
      "a*b",
      "-(",
    ],
  ];
  const HOSTILE = [
    "multi-agent",
    'foo"',
    "AND",
    "OR",
    "NOT",
    "NEAR(a b)",
    "a*b(",
    "c:",
    "title:",
    "-",
    '"',
    '""',
    "*",
    "^a",
    "a AND",
    "(",
    ")",
    "'; DROP TABLE documents; --",
    "%",
    "_",
    "\\",
    "{title}: x",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "👩‍👩‍👧‍👦",
    "e\u0301",
    "\u202eabc",
    "\u200b",
    "tag:",
    'tag:"',
    "after:2026-02-31",
    "before:yesterday",
    "type:nothing",
    "a".repeat(500),
    "a ".repeat(250),
    '"a '.repeat(160),
    "-a ".repeat(166),
    "a OR ".repeat(100),
    "tag:x ".repeat(83),
    "字".repeat(500),
    "\u0301".repeat(500),
    "😀".repeat(250),
    "...---...",
  ];

  test.for(HOSTILE)("accepts %j", async (q) => {
    const ada = await person();
    await write(ada, "a title", "some text with a and b");
    const answer = await ada.call(searchRoute, { query: { q } });
    expect(answer.status).toBe(200);
    expect(answer.body.results.length).toBeLessThanOrEqual(answer.body.total);
  });

  test("accepts any mixture of operators, scripts and nonsense", async () => {
    const ada = await person();
    await write(ada, "a title", "some text with a and b, 字 and ёлки", { tags: ["x"] });
    const pieces = fc.oneof(
      fc.constantFrom(...OPERATORS),
      fc.constantFrom(
        "text",
        "txet",
        "some",
        "字",
        "ёлки",
        "مدرسة",
        "ทีม",
        "\u200b",
        "\u202e",
        "\u0301",
        "🚀",
      ),
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.string({ unit: "binary", maxLength: 20 }),
      fc
        .tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 1 }), fc.nat(400))
        .map(([c, n]) => c.repeat(n)),
    );
    const queries = fc
      .array(fc.tuple(pieces, fc.constantFrom(" ", "", "  ", "\t", "\n")), { minLength: 1, maxLength: 40 })
      .map((parts) => parts.flat().join("").slice(0, 500))
      .filter((q) => q.length > 0);
    const answers = fc.asyncProperty(queries, async (q) => {
      const answer = await ada.call(searchRoute, { query: { q, type: "all", highlight: "mark" } });
      expect([answer.status, answer.body.query]).toEqual([200, q.toWellFormed()]);
    });
    await fc.assert(answers, { numRuns: 500 });
  }, 120_000);

  test("finds nothing, without an error, for punctuation alone", async () => {
    const ada = await person();
    await write(ada, "a title", "- ... !");
    for (const q of ["-", "...", "!?", '""', "()"])
      expect(await search(ada, q)).toMatchObject({ results: [], total: 0 });
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

  test("is omitted if a page has more than 8 MiB of text, and the answer says so", async () => {
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
  });

  test("comes from the far end of a text of a megabyte", async () => {
    const ada = await person();
    await write(ada, "huge", `${"filler ".repeat(140_000)} the needle at the end`);
    expect((await search(ada, "needle")).results[0]?.snippet).toContain("the needle at the end");
  });
});

describe("other people's documents", () => {
  test("are never found, counted or shown", async () => {
    const [ada, bob] = [await person(), await person()];
    await write(bob, "secret plans", "password swordfish", { tags: ["secret"] });
    await write(ada, "mine", "swordfish recipe");
    for (const q of [
      "swordfish",
      "secret",
      "password",
      "pass*",
      "tag:secret",
      '"password swordfish"',
      "swordfish OR password",
    ]) {
      const answer = await search(ada, q, { type: "all" });
      expect(documentsOf(answer).every(({ title }) => title === "mine")).toBe(true);
      expect(answer.total).toBe(documentsOf(answer).length);
    }
  });

  test("cost a search nothing", async () => {
    const [ada, bob] = [await person(), await person()];
    for (const title of ["red", "green"]) await write(ada, title, "red green blue", { tags: ["colour"] });
    const queries = ["red blue", "gren", "tag:colour", "-red", '"green blue"', "gre*"];
    const rowsRead = async () => {
      const { session, meter } = metered(openSession(env.DB));
      const ctx = { ...(await ctxOf(ada)), db: openDatabase(session) };
      for (const q of queries) await searchStore(ctx, SearchQuery.parse({ q, type: "all" }));
      return meter.rowsRead;
    };
    // Finding the end of a range reads the row after it: one row, however many follow.
    await write(bob, "red", "red green blue", { tags: ["colour"] });
    const before = await rowsRead();
    for (let round = 0; round < 30; round++) await write(bob, "red", "red green blue", { tags: ["colour"] });
    expect(await rowsRead()).toBe(before);
  });

  test("change neither the order nor the scores", async () => {
    const TEXTS = [
      "red green blue",
      "red red green",
      "blue green green red",
      "green tea",
      "red wine and blue cheese",
    ];
    const [ada, bob] = [await person(), await person()];
    for (const [index, text] of TEXTS.entries()) await write(ada, `t${index}`, text);
    const before = await search(ada, "red blue green");
    for (let round = 0; round < 10; round++)
      await write(bob, "noise", "red red blue wine tea ".repeat(round + 1));
    const after = await search(ada, "red blue green");
    expect(after).toEqual(before);
  });
});

test("the index contains exactly what the documents contain", async () => {
  const ada = await person();
  const ids = [];
  for (let index = 0; index < 20; index++)
    ids.push((await write(ada, `t${index}`, `word${index} shared`)).id);
  for (const [index, document_id] of ids.entries()) {
    const params = { document_id };
    if (index % 3 === 0) await ada.call(deleteDocumentRoute, { params });
    if (index % 3 === 1) await ada.ok(updateDocumentRoute, { params, json: { title: "changed" } });
  }
  await env.DB.prepare("INSERT INTO search_index(search_index) VALUES ('integrity-check')").run();
  const counts = await env.DB.prepare(
    `SELECT (SELECT count(*) FROM documents WHERE trashed_at IS NULL) AS documents, (SELECT count(*) FROM search_entries) AS entries,
      (SELECT entries FROM search_totals) AS total, (SELECT doc FROM search_words WHERE term = '1xshared') AS indexed`,
  ).first();
  expect(counts).toEqual({ documents: 13, entries: 13, total: 13, indexed: 13 });
});

describe("a typo", () => {
  test.for([
    ["aerodinamics", "aerodynamics"],
    ["erodynamics", "aerodynamics"],
    ["aerodynmaics", "aerodynamics"],
    ["xerodynamics", "aerodynamics"],
    ["aerodinamcs", "aerodynamics"],
    ["propelller", "propeller"],
    ["самлет", "самолет"],
  ] as const)("in %s still finds %s, and the answer says so", async ([typed, meant]) => {
    const ada = await person();
    await write(ada, "here", "The aerodynamics of a propeller, по-русски самолет");
    await write(ada, "elsewhere", "something quite different");
    const answer = await search(ada, typed);
    expect(documentsOf(answer).map(({ title }) => title)).toEqual(["here"]);
    expect(answer.corrected).toEqual({ [typed]: meant });
    expect(answer.query).toBe(typed);
  });

  test("marks the results that only a correction found, and puts them last", async () => {
    const ada = await person();
    await write(ada, "other birthday", "the other, other, other one; another birthday of the other");
    for (let index = 0; index < 3; index++) await write(ada, `other ${index}`, "other other other");
    await write(ada, "cake", "a long text about many things, of which one is a birthday and one is a cake");
    const answer = await search(ada, "mother birthday");
    expect(answer.corrected).toEqual({ mother: "other" });
    const titles = documentsOf(answer).map(({ title }) => title);
    expect(titles.slice(0, 2)).toEqual(["other birthday", "cake"]);
    expect(titles).toHaveLength(5);
    const marks = answer.results.map(({ matched_as }) => matched_as);
    const mark = { mother: "other" };
    expect(marks).toEqual([mark, undefined, mark, mark, mark]);
    // A word that was typed as well is no correction.
    expect((await search(ada, "mother other")).results[0]).not.toHaveProperty("matched_as");
  });

  test("is not corrected if the word occurs, nor by somebody else's words", async () => {
    const [ada, bob] = [await person(), await person()];
    await write(ada, "mine", "a form and a from");
    await write(bob, "Bob's", "the secretword of Bob");
    expect(await search(ada, "form")).not.toHaveProperty("corrected");
    const answer = await search(ada, "secretwrod");
    expect(answer).toMatchObject({ results: [], total: 0 });
    expect(answer).not.toHaveProperty("corrected");
  });
});

describe("suggestions", () => {
  const suggest = async (client: Client, q: string) =>
    (await client.ok(suggestRoute, { query: { q } })).suggestions.map(({ kind, text }) => `${kind}: ${text}`);

  test("come from titles, tags and words, and from nobody else", async () => {
    const [ada, bob] = [await person(), await person()];
    await write(ada, "Packing list", "a package for the trip", { tags: ["packed", "other"] });
    await write(bob, "Pack of wolves", "packhorse", { tags: ["packsaddle"] });
    expect(await suggest(ada, "pack")).toEqual([
      "title: Packing list",
      "tag: packed",
      "word: package",
      "word: packed",
      "word: packing",
    ]);
    expect(await suggest(ada, "my pack")).toEqual([
      "word: my package",
      "word: my packed",
      "word: my packing",
    ]);
    expect(await suggest(ada, "packing l")).toContain("title: Packing list");
    expect(await suggest(ada, "!?")).toEqual([]);
  });
});

describe("memory records", () => {
  const remember = (client: Client, topic: string, rest: Record<string, unknown> = {}) =>
    client.ok(createMemoryRoute, {
      json: { memory_type: "commitment", topic, content: "about it", ...rest },
    });
  const findAll = async (client: Client, q: string, type: string) =>
    (await search(client, q, { type })).results.map((result) =>
      "memory" in result ? `memory: ${result.memory.topic}` : `document: ${result.document.title}`,
    );

  test("are ranked together with documents on request", async () => {
    const ada = await person();
    await write(ada, "Slides for Grace", "the deck");
    await remember(ada, "Send Grace the slides");
    expect(await findAll(ada, "slides grace", "documents")).toEqual(["document: Slides for Grace"]);
    expect(await findAll(ada, "slides grace", "memories")).toEqual(["memory: Send Grace the slides"]);
    expect((await findAll(ada, "slides grace", "all")).sort()).toEqual([
      "document: Slides for Grace",
      "memory: Send Grace the slides",
    ]);
  });

  test("are filtered by type, status, project, tag and source", async () => {
    const ada = await person();
    await remember(ada, "slides one", { project: "Apollo", tags: ["x"] });
    const { id } = await remember(ada, "slides two", { memory_type: "decision" });
    await ada.ok(archiveMemoryRoute, { params: { memory_id: String(id) }, json: {} });
    await write(ada, "slides three", "", { tags: ["x"] });
    expect(await findAll(ada, "slides type:decision", "all")).toEqual(["memory: slides two"]);
    expect(await findAll(ada, "slides status:active", "all")).toEqual(["memory: slides one"]);
    expect(await findAll(ada, "slides project:apollo", "all")).toEqual(["memory: slides one"]);
    expect(await findAll(ada, "slides type:document", "all")).toEqual(["document: slides three"]);
    expect(await findAll(ada, "slides tag:x", "all")).toHaveLength(2);
    expect(await findAll(ada, "slides source:api", "all")).toHaveLength(3);
    expect(await findAll(ada, "slides folder:any", "all")).toEqual([]);
  });
});

describe("a record's project", () => {
  test("is a word of the record, also after a change and after reindexing", async () => {
    const [ada] = [await person()];
    const json = { memory_type: "context", topic: "Speaker", content: "Grace", project: "Zeppelin" } as const;
    const { id } = await ada.ok(createMemoryRoute, { json });
    const count = async (q: string) => (await search(ada, q, { type: "memories" })).total;
    expect([await count("zeppelin"), await count("zeppelins grace")]).toEqual([1, 1]);
    const params = { memory_id: String(id) };
    await ada.ok(updateMemoryRoute, { params, json: { project: "Lighthouse" } });
    expect([await count("zeppelin"), await count("lighthouse")]).toEqual([0, 1]);
    await ada.ok(reindexRoute, { json: { all: true } });
    expect([await count("lighthouse"), await count("tag:lighthouse")]).toEqual([1, 0]);
  });
});

describe("a query of filters alone", () => {
  test("lists what was changed last first, page by page", async () => {
    const ada = await person();
    const titles = ["a", "b", "c", "d"];
    const made: { id: string }[] = [];
    for (const title of titles) made.push(await write(ada, title, "", { tags: ["x"] }));
    const change = (place: number) =>
      ada.ok(updateDocumentRoute, {
        params: { document_id: made[place]?.id ?? "" },
        json: { content: { text: "changed" } },
      });
    await change(2);
    await change(0);
    expect(await find(ada, "tag:x")).toEqual(["a", "c", "d", "b"]);
    expect(await find(ada, "tag:x", { limit: 2, offset: 2 })).toEqual(["d", "b"]);
  });
});

describe("reindexing", () => {
  const step = (client: Client, all = false) => client.ok(reindexRoute, { json: { all } });

  test("is reserved for the admin, proceeds in steps, and keeps everything searchable", async () => {
    const [admin, bob] = [await person(), await person()];
    expect((await bob.call(reindexRoute, { json: {} })).status).toBe(403);
    await Promise.all(Array.from({ length: 60 }, (_, index) => write(bob, `t${index}`, "word shared")));
    await bob.ok(createMemoryRoute, { json: { memory_type: "context", topic: "shared", content: "c" } });
    expect(await step(admin)).toEqual({ indexed: 0, remaining: 0 });

    // What an older version wrote, or lost.
    await env.DB.prepare("UPDATE search_entries SET index_version = 0").run();
    await env.DB.prepare("DELETE FROM search_index WHERE rowid % 2 = 0").run();
    expect(await step(admin)).toEqual({ indexed: 50, remaining: 11 });
    expect((await search(bob, "shared", { type: "all" })).total).toBeGreaterThanOrEqual(50);
    expect(await step(admin)).toEqual({ indexed: 11, remaining: 0 });
    expect(await search(bob, "shared", { type: "all" })).toMatchObject({ total: 61 });
    expect(await step(admin, true)).toEqual({ indexed: 50, remaining: 11 });
    await env.DB.prepare("INSERT INTO search_index(search_index) VALUES ('integrity-check')").run();
  });

  test("is not waited for: what an older version wrote is found as before", async () => {
    const ada = await person();
    await write(ada, "old", "flowing water");
    // As version 2 wrote it: forms only of words that differ from them.
    await env.DB.prepare(
      `INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
       SELECT entry, '1xold', '', '1xflowing 1xwater', '1x~flow 1x+flowi' FROM search_entries`,
    ).run();
    await env.DB.prepare("UPDATE search_entries SET index_version = 2, tokens = 0").run();
    await write(ada, "new", "water flows");
    const all = async () => [await find(ada, "water"), await find(ada, "flowing"), await find(ada, "flow")];
    const both = (titles: string[]) => titles.toSorted();
    expect((await all()).map(both)).toEqual([
      ["new", "old"],
      ["new", "old"],
      ["new", "old"],
    ]);
    expect(await find(ada, "title:old")).toEqual(["old"]);
    expect(await step(ada)).toEqual({ indexed: 1, remaining: 0 });
    expect((await all()).map(both)).toEqual([
      ["new", "old"],
      ["new", "old"],
      ["new", "old"],
    ]);
  });

  test("is not needed for deleted words: the cron handler removes them from the index", async () => {
    const ada = await person();
    const text = (n: number) =>
      `walrus ${Array.from({ length: 300 }, (_, word) => `w${n}x${word}`).join(" ")}`;
    for (let n = 0; n < 30; n++) await write(ada, `t${n}`, text(n));
    const size = async () =>
      Number(await env.DB.prepare("SELECT sum(length(block)) AS size FROM search_index_data").first("size"));
    const full = await size();
    const found = documentsOf(await search(ada, "walrus", { limit: 100 }));
    for (const { id } of found.slice(1)) await ada.ok(deleteDocumentRoute, { params: { document_id: id } });
    const { purge } = await import("../src/purge.ts");
    await purge(env);
    expect(await size()).toBeLessThan(full / 5);
    expect((await search(ada, "walrus")).total).toBe(1);
    await env.DB.prepare("INSERT INTO search_index(search_index) VALUES ('integrity-check')").run();
  });

  test("is continued by the cron handler, and drops entries without a record", async () => {
    const ada = await person();
    await write(ada, "here", "word");
    await env.DB.prepare(
      "INSERT INTO search_entries (owner, kind, record, length, index_version) VALUES (1, 'document', 'gone', 1, 0)",
    ).run();
    await env.DB.prepare("UPDATE search_entries SET index_version = 0").run();
    const { purge } = await import("../src/purge.ts");
    await purge(env);
    expect(await step(ada)).toEqual({ indexed: 0, remaining: 0 });
    expect(await find(ada, "word")).toEqual(["here"]);
    expect(await env.DB.prepare("SELECT entries FROM search_totals").first()).toEqual({ entries: 1 });
  });
});
