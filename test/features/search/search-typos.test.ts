import { describe, expect, test } from "vitest";
import { deleteDocumentRoute } from "../../../src/features/documents/routes.ts";
import { suggestRoute } from "../../../src/features/search/routes.ts";
import { person } from "../../kit/client.ts";
import { find, search, titleOf, write } from "../../kit/search.ts";

describe("a typo", () => {
  test("inserted, missing, replaced or transposed still finds what was meant, and the answer says so", async () => {
    const ada = await person();
    await write(ada, "here", "The aerodynamics of a propeller, по-русски самолет");
    await write(ada, "elsewhere", "something quite different");
    for (const [typed, meant] of [
      ...["aerodinamics", "erodynamics", "aerodynmaics", "xerodynamics", "aerodinamcs"].map(
        (slip) => [slip, "aerodynamics"] as const,
      ),
      ["propelller", "propeller"],
      ["самлет", "самолет"],
    ] as const) {
      const { results, corrected, query } = await search(ada, typed);
      expect({ found: results.map(titleOf), corrected, query }).toEqual({
        ...{ found: ["here"], corrected: { [typed]: meant }, query: typed },
      });
    }
  });

  test("marks the results that only a correction found, and puts them last", async () => {
    const ada = await person();
    await write(ada, "other birthday", "the other, other, other one; another birthday of the other");
    for (let index = 0; index < 3; index++) await write(ada, `other ${index}`, "other other other");
    await write(ada, "cake", "a long text about many things, of which one is a birthday and one is a cake");
    const { results, corrected } = await search(ada, "mother birthday");
    expect(corrected).toEqual({ mother: "other" });
    const found = results.map((result) => [titleOf(result), result.matched_as]);
    const mark = { mother: "other" };
    expect(found.slice(0, 2)).toEqual([
      ["other birthday", mark],
      ["cake", undefined],
    ]);
    expect(found.slice(2).map(([, marked]) => marked)).toEqual([mark, mark, mark]);
    // A word that was typed as well is no correction.
    expect((await search(ada, "mother other")).results[0]).not.toHaveProperty("matched_as");
  });

  test("that may be one of two words finds both, and each result says which it has", async () => {
    const ada = await person();
    await write(ada, "Beard", "the beard of the captain");
    await write(ada, "Board", "a board, and another board");
    await write(ada, "Both", "a board about a beard");
    await write(ada, "Captain", "the captain of a ship");
    const answer = await search(ada, "bxard", { highlight: "mark" });
    expect(answer.corrected).toEqual({ bxard: "beard OR board" });
    expect(answer.interpreted).toMatchObject({
      words: ["beard", "board"],
      alternatives: [["beard", "board"]],
    });
    const found = answer.results.map((result) => [titleOf(result), result.matched_as]);
    expect(Object.fromEntries(found)).toEqual({
      Beard: { bxard: "beard" },
      Board: { bxard: "board" },
      Both: { bxard: "beard" },
    });
    for (const { snippet } of answer.results) expect(snippet).toMatch(/<mark>(board|beard)<\/mark>/u);
    expect((await search(ada, "beard OR board")).total).toBe(3);
    // The results that have the other word as it was written come first.
    const titles = await find(ada, "captain bxard");
    expect([titles.slice(0, 2), titles.length]).toEqual([["Beard", "Captain"], 4]);
    // A query with one of the two means the other.
    for (const other of ["board", "beard"])
      expect((await search(ada, `${other} bxard`)).corrected).toEqual({ bxard: "beard" });
  });

  test("is taken for another form of a word rather than for another word, in a text of any language", async () => {
    const ada = await person();
    const text = "Was Ada noch zahlen soll: owed bis Ende der Woche, owe danach, und wer dann fehlt, kommt";
    await write(ada, "IOU", `${text} am Montag dran, alles klar soweit?`);
    for (const title of ["ones", "one"]) await write(ada, title, "the ones");
    const answer = await search(ada, "owes");
    expect(answer.results.map(titleOf)).toEqual(["IOU"]);
    expect(answer.corrected).toEqual({ owes: "owe OR owed" });
  });

  test("is not corrected if the word occurs, nor by another account's words", async () => {
    const [ada, bob] = [await person(), await person()];
    await write(ada, "mine", "a form and a from");
    await write(bob, "Bob's", "the secretword of Bob");
    expect(await search(ada, "form")).not.toHaveProperty("corrected");
    const answer = await search(ada, "secretwrod");
    expect(answer).toMatchObject({ results: [], total: 0 });
    expect(answer).not.toHaveProperty("corrected");
  });
});

test("suggestions come from the account's own titles, tags and words", async () => {
  const [ada, bob] = [await person(), await person()];
  const suggest = async (q: string) =>
    (await ada.ok(suggestRoute, { query: { q } })).suggestions.map(({ kind, text }) => `${kind}: ${text}`);
  await write(ada, "Packing list", "a package for the trip", { tags: ["packed", "other"] });
  await write(bob, "Pack of wolves", "packhorse", { tags: ["packsaddle"] });
  expect(await suggest("pack")).toEqual([
    "title: Packing list",
    "tag: packed",
    "word: package",
    "word: packed",
    "word: packing",
  ]);
  expect(await suggest("my pack")).toEqual(["word: my package", "word: my packed", "word: my packing"]);
  expect(await suggest("packing l")).toContain("title: Packing list");
  const { id } = await write(ada, "Packaged");
  await ada.call(deleteDocumentRoute, { params: { document_id: id } });
  expect(await suggest("packaged")).toEqual([]);
  expect(await suggest("!?")).toEqual([]);
});
