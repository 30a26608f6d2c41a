import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { documentResults } from "../../../src/contract/search.ts";
import { updateDocumentRoute } from "../../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { person } from "../../kit/client.ts";
import { find, search, write } from "../../kit/search.ts";
import { isThorough } from "../../kit/time-limits.ts";

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
    const [deep] = documentResults(await search(ada, 'another folder:"My notes/old"'));
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
    expect(documentResults(await search(ada, sentence))[0]?.title).toBe("a");
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
      "status:done matches nothing. Possible values: active, deferred, resolved, archived",
    ]);
    expect(await notes("type:Commitment status:active source:api", "all")).toBeUndefined();
    expect(await notes("type:Commitment folder:x tag:y", "all")).toEqual([
      "folder:x applies to documents, but type:Commitment excludes them: nothing matches both",
      'There is no folder "x": there are none yet',
      'There is no tag "y": there are none yet',
    ]);
    expect(await notes("slides type:documents")).toBeUndefined();
    expect(await notes("type:document due:today", "all")).toEqual([
      "due:today applies to memory records, but type:document excludes them: nothing matches both",
    ]);
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

  test.runIf(isThorough)(
    "accepts any mixture of operators, scripts and nonsense",
    async () => {
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
    },
    120_000,
  );

  test("finds nothing, without an error, for punctuation alone", async () => {
    const ada = await person();
    await write(ada, "a title", "- ... !");
    for (const q of ["-", "...", "!?", '""', "()"])
      expect(await search(ada, q)).toMatchObject({ results: [], total: 0 });
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
