import { describe, expect, test } from "vitest";
import { analyse, analyseInSteps } from "../../../src/engine/analyse.ts";
import { likeliestCorrections } from "../../../src/engine/correct.ts";
import { buildHighlightQuery } from "../../../src/engine/highlight.ts";
import { planQuery } from "../../../src/engine/plan-query.ts";
import { makeSnippet } from "../../../src/engine/snippet.ts";
import { runYielding } from "../../../src/platform/queue/yielding.ts";
import { parseQuery } from "../../../src/shared/query/query.ts";
import { MAX_WORD_LENGTH } from "../../../src/shared/text/fold.ts";
import { typingErrors } from "../../../src/shared/text/likeness.ts";
import { splitWords } from "../../../src/shared/text/words.ts";
import { isThorough } from "../../kit/time-limits.ts";

const read = (text: string) => splitWords(text).map((word) => word.text);

describe("words", () => {
  test.for([
    ["The QUICK brown-fox", ["the", "quick", "brown", "fox"]],
    ["Straße, Ærø & naïve", ["strasse", "aero", "naive"]],
    ["ΣΊΣΥΦΟΣ σίσυφος", ["σισυφοσ", "σισυφοσ"]],
    ["ﬁne Ⅷ ①", ["fine", "viii", "1"]],
    ["١٢٣ ४५", ["123", "45"]],
    ["a\u00adb co\u200dop", ["ab", "coop"]],
    ["我爱北京", ["我", "爱", "北京"]],
    ["👍🏽 ok 👩‍👩‍👧", expect.arrayContaining(["ok"])],
    ["... - !?", []],
    ["", []],
  ] as const)("of %j", ([text, expected]) => {
    expect(read(text)).toEqual(expected);
  });

  test("know their positions", () => {
    const text = "Über 北京大学 und café";
    for (const { start, end } of splitWords(text)) expect(text.slice(start, end).trim()).not.toBe("");
    expect(
      splitWords(text)
        .map(({ start, end }) => text.slice(start, end))
        .join(""),
    ).toBe(text.replaceAll(" ", ""));
  });

  test("are limited in length", () => {
    for (const character of ["a", "字", "ก", "é", "\u0301"]) {
      const found = read(character.repeat(10_000));
      expect(found.every((word) => [...word].length <= MAX_WORD_LENGTH)).toBe(true);
    }
  });
});

describe("the index row", () => {
  test("keeps words in order, prefixed with the owner, and other forms separate", () => {
    const row = analyse(17, { title: "Running shoes", tags: ["sport"], body: "getUserById runs" });
    expect(row.body).toBe("17xgetuserbyid 17xruns");
    expect(row.title.startsWith("17xrunning 17xshoes")).toBe(true);
    expect(row.extra.split(" ")).toEqual(
      expect.arrayContaining(["17xget", "17xuser", "17xby", "17xid", "17x=run", "17x-runs"]),
    );
    expect(row.length).toBe(5);
  });

  test.runIf(isThorough)("of a megabyte of anything stays within D1's limits", () => {
    for (const piece of ["a", "lorem ipsum ", "字", "ทดสอบ", "e\u0301", "aB", "x-"]) {
      const row = analyse(123_456, { title: "", tags: [], body: piece.repeat(1_000_000 / piece.length) });
      for (const column of [row.title, row.tags, row.body, row.extra]) {
        expect(new TextEncoder().encode(column).length).toBeLessThan(2_000_000);
      }
    }
  });
});

describe("a query", () => {
  const text = (value: string, title = false) => ({ kind: "text", text: value, title });

  test.for([
    ["a b", { wanted: [[text("a")], [text("b")]] }],
    ['"a b" c', { wanted: [[{ kind: "phrase", text: "a b", title: false }], [text("c")]] }],
    ["“a b”", { wanted: [[{ kind: "phrase", text: "a b", title: false }]] }],
    ["pre*", { wanted: [[{ kind: "prefix", text: "pre", title: false }]] }],
    ["a -b", { wanted: [[text("a")]], unwanted: [text("b")] }],
    ["a OR b c", { wanted: [[text("a"), text("b")], [text("c")]] }],
    ["a OR b OR c", { wanted: [[text("a"), text("b"), text("c")]] }],
    ["OR a", { wanted: [[text("OR")], [text("a")]] }],
    ["a OR", { wanted: [[text("a")], [text("OR")]] }],
    ["title:a", { wanted: [[text("a", true)]] }],
    ["tag:x", { filters: [{ name: "tag", value: "x" }] }],
    ['Folder:"My notes"', { filters: [{ name: "folder", value: "My notes" }] }],
    ["after:2026-01-31", { filters: [{ name: "after", value: "2026-01-31" }] }],
    [
      "after:2026-02-30",
      { wanted: [[text("after:2026-02-30")]], misread: [{ kind: "date", text: "after:2026-02-30" }] },
    ],
    ["tag:", { wanted: [[text("tag:")]] }],
    ['tag:"x', { wanted: [[text('tag:"x')]] }],
    ["-tag:x", { unwanted: [text("tag:x")], misread: [{ kind: "exclusion", text: "-tag:x" }] }],
    ["http://example.com", { wanted: [[text("http://example.com")]] }],
    ['- -- ... "" *', {}],
  ] as const)("%j", ([query, expected]) => {
    expect(parseQuery(query)).toEqual({ wanted: [], unwanted: [], filters: [], ...expected });
  });
});

describe("corrections", () => {
  test("cover inserted, missing, replaced and transposed letters", () => {
    for (const slip of ["wordd", "wrd", "ward", "wrod", "sword"]) expect(typingErrors(slip, "word")).toBe(1);
  });

  test("prefer fewer typos, then more records, and are two if both are as likely", () => {
    const vocabulary = [
      { text: "listing", records: 1 },
      { text: "lasting", records: 9 },
      { text: "casting", records: 99 },
    ];
    expect(likeliestCorrections("lesting", vocabulary)).toEqual(["lasting", "listing"]);
    expect(likeliestCorrections("lxxting", vocabulary)).toEqual(["lasting", "listing"]);
    expect(likeliestCorrections("lissting", vocabulary)).toEqual(["listing"]);
    expect(likeliestCorrections("word", [{ text: "worlds", records: 1 }])).toEqual([]);
    const forms = [
      { text: "boards", records: 9 },
      { text: "board", records: 9 },
      { text: "beard", records: 1 },
    ];
    expect(likeliestCorrections("baord", forms)).toEqual(["board"]);
    expect(likeliestCorrections("boird", [{ text: "boid", records: 9 }, ...forms])).toEqual([
      "board",
      "boid",
    ]);
    const owing = ["ones", "owls", "owed", "owe"].map((text, place) => ({ text, records: 9 - place }));
    expect(likeliestCorrections("owes", owing)).toEqual(["owed", "owe"]);
    expect(likeliestCorrections("owes", owing.slice(0, 2))).toEqual(["ones", "owls"]);
  });
});

describe("a query with many beginnings of words", () => {
  test("looks up four, also among alternatives, and reads the others as words", () => {
    const simplifiedIn = (query: string) => planQuery(1, parseQuery(query)).simplified;
    expect(simplifiedIn("aaa* bbb* ccc* ddd*")).toEqual([]);
    expect(simplifiedIn("aaa* bbb* ccc* ddd* eee*")).toEqual(["eee*"]);
    expect(simplifiedIn("aaa* OR bbb* OR ccc* ddd* eee* word")).toEqual(["eee*"]);
    expect(simplifiedIn("aaa* OR bbb* OR ccc* OR ddd* OR eee*")).toHaveLength(5);
  });

  test("looks up one of one or two letters, unless they are characters of a script without spaces", () => {
    const simplifiedIn = (query: string) => planQuery(1, parseQuery(query)).simplified;
    expect(simplifiedIn("a*")).toEqual([]);
    expect(simplifiedIn("ma OR ma*")).toEqual([]);
    expect(simplifiedIn("a* b* c* d*")).toEqual(["b*", "c*", "d*"]);
    expect(simplifiedIn("ab* project*")).toEqual(["project*"]);
    expect(simplifiedIn("project* ab*")).toEqual(["ab*"]);
    expect(simplifiedIn("日* 本* 東* 京*")).toEqual([]);
  });
});

describe("a computation in turns", () => {
  test("has the same result as at once", async () => {
    for (const body of [
      "",
      "Running shoes, getUserById and e-mail ".repeat(2000),
      "東京都の天気 und Straßen ".repeat(2000),
    ]) {
      const record = { title: "Title", tags: ["tag"], body };
      expect(await runYielding(analyseInSteps(1, record))).toEqual(analyse(1, record));
    }
  });
});

describe("snippets", () => {
  const snippet = (text: string, query: string, highlight?: "mark") =>
    makeSnippet(text, buildHighlightQuery(parseQuery(query), new Map(), new Set()), highlight);

  test.for([
    ["short text", "text", "short text"],
    ["", "text", ""],
    ["🚀🚀🚀", "text", "🚀🚀🚀"],
  ] as const)("of %j for %j", ([text, query, expected]) => {
    expect(snippet(text, query)).toBe(expected);
  });

  test("cut between words, never inside one", () => {
    const text = Array.from({ length: 400 }, (_, index) => `word${index}`).join(" ");
    for (const query of ["word0", "word7", "word200", "word399"]) {
      const passage = snippet(text, query);
      expect(passage.split(" ")).toContain(query);
      expect(` ${text} `).toContain(` ${passage} `);
      expect(passage.length).toBeLessThanOrEqual(240);
    }
  });

  test("of a text without spaces contain the match", () => {
    const text = `${"天地玄黄宇宙洪荒".repeat(100)}图书馆${"日月盈昃辰宿列张".repeat(100)}`;
    const passage = snippet(text, "图书馆");
    expect(passage).toContain("图书馆");
    expect(text).toContain(passage);
  });

  test("work for an extremely long word", () => {
    const text = `${"a".repeat(5000)} needle ${"b".repeat(5000)}`;
    expect(snippet(text, "needle")).toContain("needle");
    expect(snippet("😀".repeat(5000), "needle").isWellFormed()).toBe(true);
  });

  test("mark exactly what matched", () => {
    expect(snippet("Running, ran & <runs>", "run", "mark")).toBe(
      "<mark>Running</mark>, ran &amp; &lt;<mark>runs</mark>&gt;",
    );
    expect(snippet("prefer preset prose", "pre*", "mark")).toBe(
      "<mark>prefer</mark> <mark>preset</mark> prose",
    );
  });
});
