import { expect, test } from "vitest";
import { documentResults } from "../../../src/contract/search.ts";
import { updateDocumentRoute } from "../../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { searchTool } from "../../../src/features/search/tools.ts";
import { person } from "../../kit/client.ts";
import { callTool, ctxOf } from "../../kit/ctx.ts";
import { find, search, titleOf, write } from "../../kit/search.ts";

test("a query has phrases, beginnings, exclusions, alternatives and words of the title", async () => {
  const ada = await person();
  await write(ada, "a", "the quick brown fox");
  await write(ada, "b", "a brown and quick hare");
  await write(ada, "c", "quicksilver");
  await write(ada, "d", "a lone wolf");
  for (const [q, titles] of [
    ['"quick brown"', ["a"]],
    ["quick*", ["a", "b", "c"]],
    ["brown -fox", ["b"]],
    ['brown -"quick hare"', ["a"]],
    ["fox OR wolf", ["a", "d"]],
    ["title:c", ["c"]],
  ] as const)
    expect([q, (await find(ada, q)).sort()]).toEqual([q, titles]);
});

test("filters by folder, tag, source and time combine with words and with the parameters", async () => {
  const ada = await person();
  const folder = await ada.ok(createFolderRoute, { json: { name: "My notes" } });
  await write(ada, "in", "word", { folder_id: folder.id, tags: ["x", "two words"] });
  await write(ada, "out", "word", { tags: ["x"] });
  const inner = await ada.ok(createFolderRoute, { json: { name: "Old", parent_id: folder.id } });
  await write(ada, "deep", "another", { folder_id: inner.id });
  for (const [q, titles, query = {}] of [
    ['word folder:"my NOTES"', ["in"]],
    ['another folder:"My notes/old"', ["deep"]],
    ['another folder:"My notes"', []],
    ['word tag:"two words"', ["in"]],
    ["tag:x", ["in", "out"]],
    ["tag:x word", ["in"], { folder_id: folder.id }],
    ["word", ["in"], { tag: ["x", "two words"] }],
    ["word source:import", []],
    ["word source:api before:2999-01-01 after:2020-01-01", ["in", "out"]],
    ["word after:2999-01-01", []],
  ] as [string, string[], Record<string, string | string[]>?][])
    expect([q, (await find(ada, q, query)).sort()]).toEqual([q, titles]);
  const [deep] = documentResults(await search(ada, "another"));
  expect(deep).toMatchObject({ title: "deep", folder_path: "My notes/Old" });
});

test("a query of filters alone lists what was changed last first, page by page", async () => {
  const ada = await person();
  const made: string[] = [];
  for (const title of ["a", "b", "c", "d"]) made.push((await write(ada, title, "", { tags: ["x"] })).id);
  for (const document_id of [made[2], made[0]])
    await ada.ok(updateDocumentRoute, {
      ...{ params: { document_id: document_id ?? "" }, json: { content: { text: "changed" } } },
    });
  expect(await find(ada, "tag:x")).toEqual(["a", "c", "d", "b"]);
  expect(await find(ada, "tag:x", { limit: 2, offset: 2 })).toEqual(["d", "b"]);
});

test("a phrase is required, unless no text has it, which the answer says, or it is part of a sentence", async () => {
  const ada = await person();
  await write(ada, "a", "formatting systems for text");
  await write(ada, "b", "brown and quick");
  await write(ada, "c", "the quick brown fox");
  expect(await find(ada, '"quick brown"')).toEqual(["c"]);
  for (const q of ['"quick brown"', '"no such thing" neither'])
    expect([q, (await search(ada, q)).relaxed]).toEqual([q, undefined]);
  expect(await search(ada, '"quick brown"')).not.toHaveProperty("notes");
  for (const [q, relaxed] of [
    ['"brown quick" systems', ["brown quick"]],
    ['what about the "brown quick" and all the systems for each text of those', undefined],
  ] as const) {
    const answer = await search(ada, q);
    expect([q, answer.relaxed, answer.total]).toEqual([q, relaxed, 3]);
    expect(answer.notes).toEqual([expect.stringContaining("exactly, so the words in it were searched for")]);
    expect((await callTool(await ctxOf(ada), searchTool, { query: q })).notes).toEqual(answer.notes);
  }
  const sentence = 'text formatting systems, including "what you see is what you get" systems';
  const { results, relaxed } = await search(ada, sentence);
  expect([results.map(titleOf)[0], relaxed]).toEqual(["a", undefined]);
});

test("all of a question of 500 characters is used", async () => {
  const ada = await person();
  const question = Array.from({ length: 70 }, (_, index) => `w${100 + index}`).join(" ");
  const q = question.slice(0, 500);
  await write(ada, "last", q.split(" ").at(-1));
  expect(await find(ada, q)).toEqual(["last"]);
});

test("an explanation says what adds how much to a score", async () => {
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

test("the word as typed comes before others with the same beginning", async () => {
  const ada = await person();
  await write(ada, "a", "aliendelea kula chakula");
  await write(ada, "b", "aliendesha kula chakula");
  await write(ada, "c", "mengambil buku");
  const { results } = await search(ada, "aliendesha", { explain: "true" });
  expect(results.map(titleOf)).toEqual(["b", "a"]);
  expect(results[0]?.explanation?.map(({ because }) => because)).toEqual(["found", "exact"]);
});

test("a word of most texts finds nothing beside a rarer one, but counts", async () => {
  const ada = await person();
  for (let n = 0; n < 59; n++) await write(ada, `t${n}`, n % 7 === 0 ? "tea" : "green tea");
  await write(ada, "both", "green tea, pears");
  await write(ada, "rare", "pears, plums");
  const { results } = await search(ada, "green pears");
  expect(results.map((result) => [titleOf(result), result.matched])).toEqual([
    ["both", undefined],
    ["rare", ["pears"]],
  ]);
  expect((await search(ada, "green tea")).total).toBe(60);
  expect((await search(ada, "green")).total).toBe(51);
});

test("the answer says how the query was interpreted", async () => {
  const ada = await person();
  await write(ada, "a title", "some text");
  const interpreted = async (q: string) => (await search(ada, q)).interpreted;
  expect(await interpreted('fox OR Wolves pre* title:Big "quick brown" tag:x -x* -"a b"')).toEqual({
    words: ["fox", "wolves", "pre*", "title:big", '"quick brown"', "quick", "brown"],
    alternatives: [["fox", "wolves"]],
    excluded: ["x*", '"a b"'],
    filters: [{ name: "tag", value: "x" }],
  });
  expect(await interpreted("Portland OR")).toMatchObject({ words: ["portland", "or"] });
  // The endings of contractions are no words.
  const contractions = await interpreted("I'd like what we don’t have, and it's Grace's");
  expect(contractions?.words).toEqual(["like", "grace"]);
  expect((await interpreted("plan d"))?.words).toEqual(["plan", "d"]);
});

/** What FTS5, SQL or the query language could stumble over. search-hostile.test.ts has all combinations. */
const HOSTILE = [
  ...'multi-agent|foo"|AND|OR|NOT|NEAR(a b)|a*b(|c:|title:|*|^a|a AND|(|)|%|_|\\|{title}: x|tag:|tag:"'.split(
    "|",
  ),
  ...["'; DROP TABLE documents; --", "after:2026-02-31", "before:yesterday", "type:nothing", "e\u0301"],
  ...["\u0000", "a\u0000b", "\ud800", "👩‍👩‍👧‍👦", "\u202eabc", "\u200b"],
  ...["a", "字", "\u0301"].map((character) => character.repeat(500)),
  ...["a ", '"a ', "-a ", "a OR ", "tag:x ", "😀"].map((piece) => piece.repeat(250).slice(0, 500)),
];

test("any text of up to 500 characters is a query, and punctuation alone finds nothing", async () => {
  const ada = await person();
  await write(ada, "a title", "some text with a and b - ... !");
  for (const q of HOSTILE) {
    const { query, results, total } = await search(ada, q);
    expect(query).toBe(q.toWellFormed());
    expect(results.length, q).toBeLessThanOrEqual(total);
  }
  for (const q of ["-", '"', "...", "!?", '""', "()", "...---..."])
    expect(await search(ada, q)).toMatchObject({ results: [], total: 0 });
});
