import { describe, expect, test } from "vitest";
import { analyse, analyseInSteps } from "../../../src/engine/analyse.ts";
import { likeliestCorrections } from "../../../src/engine/correct.ts";
import { buildHighlightQuery } from "../../../src/engine/highlight.ts";
import { planQuery } from "../../../src/engine/plan-query.ts";
import { makeSnippet } from "../../../src/engine/snippet.ts";
import { runYielding } from "../../../src/platform/queue/yielding.ts";
import { parseQuery } from "../../../src/shared/query/query.ts";
import { MAX_WORD_LENGTH } from "../../../src/shared/text/fold.ts";
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

  test("know their positions, which leave out nothing but spaces", () => {
    const text = "Über 北京大学 und café";
    const words = splitWords(text).map(({ start, end }) => text.slice(start, end));
    expect(words.filter((word) => word.trim() === "")).toEqual([]);
    expect(words.join("")).toBe(text.replaceAll(" ", ""));
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

test("corrections prefer fewer typing errors, then other forms and more records, and are two if both are as likely", () => {
  const of = (records: Record<string, number>) =>
    Object.entries(records).map(([text, count]) => ({ text, records: count }));
  const vocabulary = of({ listing: 1, lasting: 9, casting: 99 });
  const forms = { boards: 9, board: 9, beard: 1 };
  const owing = { ones: 9, owls: 8, owed: 7, owe: 6 };
  for (const [slip, known, corrections] of [
    ["lesting", vocabulary, ["lasting", "listing"]],
    ["lxxting", vocabulary, ["lasting", "listing"]],
    ["lissting", vocabulary, ["listing"]],
    ["word", of({ worlds: 1 }), []],
    ["baord", of(forms), ["board"]],
    ["boird", of({ boid: 9, ...forms }), ["board", "boid"]],
    ["owes", of(owing), ["owed", "owe"]],
    ["owes", of(owing).slice(0, 2), ["ones", "owls"]],
  ] as const)
    expect([slip, likeliestCorrections(slip, [...known])]).toEqual([slip, corrections]);
});

test.for([
  ["aaa* bbb* ccc* ddd*", []],
  ["aaa* bbb* ccc* ddd* eee*", ["eee*"]],
  ["aaa* OR bbb* OR ccc* ddd* eee* word", ["eee*"]],
  ["aaa* OR bbb* OR ccc* OR ddd* OR eee*", ["aaa*", "bbb*", "ccc*", "ddd*", "eee*"]],
  // Of one or two letters, one is looked up, unless they are characters of a script without spaces.
  ["a*", []],
  ["ma OR ma*", []],
  ["a* b* c* d*", ["b*", "c*", "d*"]],
  ["ab* project*", ["project*"]],
  ["project* ab*", ["ab*"]],
  ["日* 本* 東* 京*", []],
] as const)(
  "of the beginnings in %s, at most four are looked up, and %j are read as words",
  ([query, words]) => {
    expect(planQuery(1, parseQuery(query)).simplified.toSorted()).toEqual(words);
  },
);

test("an analysis that yields to others has the same result as one at once", async () => {
  for (const body of [
    "",
    "Running shoes, getUserById and e-mail ".repeat(2000),
    "東京都の天気 und Straßen ".repeat(2000),
  ]) {
    const record = { title: "Title", tags: ["tag"], body };
    expect(await runYielding(analyseInSteps(1, record))).toEqual(analyse(1, record));
  }
});

describe("a snippet", () => {
  const snippet = (text: string, query: string) =>
    makeSnippet(text, buildHighlightQuery(parseQuery(query), new Map(), new Set()));

  test("of a short text is the text", () => {
    for (const text of ["short text", "", "🚀🚀🚀"]) expect(snippet(text, "text")).toBe(text);
  });

  test("is cut between words, never inside one", () => {
    const text = Array.from({ length: 400 }, (_, index) => `word${index}`).join(" ");
    for (const query of ["word0", "word7", "word200", "word399"]) {
      const passage = snippet(text, query);
      expect(passage.split(" ")).toContain(query);
      expect(` ${text} `).toContain(` ${passage} `);
      expect(passage.length).toBeLessThanOrEqual(240);
    }
  });

  test("of a text without spaces contains the match", () => {
    const text = `${"天地玄黄宇宙洪荒".repeat(100)}图书馆${"日月盈昃辰宿列张".repeat(100)}`;
    expect(snippet(text, "图书馆")).toContain("图书馆");
    expect(text).toContain(snippet(text, "图书馆"));
  });

  test("of an extremely long word cuts no character", () => {
    expect(snippet(`${"a".repeat(5000)} needle ${"b".repeat(5000)}`, "needle")).toContain("needle");
    expect(snippet("😀".repeat(5000), "needle").isWellFormed()).toBe(true);
  });
});
