import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { SearchQuery } from "../../../src/contract/search.ts";
import { deleteDocumentRoute, updateDocumentRoute } from "../../../src/features/documents/routes.ts";
import { search as searchStore } from "../../../src/features/search/store.ts";
import { person } from "../../kit/client.ts";
import { ctxOf, meteredCtx, numberOf } from "../../kit/ctx.ts";
import { search, titleOf, write } from "../../kit/search.ts";

describe("another account's documents", () => {
  test("are never found, counted or shown", async () => {
    const [ada, bob] = [await person(), await person()];
    await write(bob, "secret plans", "password swordfish", { tags: ["secret"] });
    await write(ada, "mine", "swordfish recipe");
    for (const [q, titles] of [
      ...["swordfish", '"password swordfish"', "swordfish OR password"].map((q) => [q, ["mine"]] as const),
      ...["secret", "password", "pass*", "tag:secret"].map((q) => [q, []] as const),
    ]) {
      const { results, total } = await search(ada, q, { type: "all" });
      expect([q, total, results.map(titleOf)]).toEqual([q, titles.length, titles]);
    }
  });

  test("change neither the rows that a search reads, nor its order, nor its scores", async () => {
    const [ada, bob] = [await person(), await person()];
    for (const [index, text] of [
      ...["red green blue", "red red green", "blue green green red", "green tea"],
      "red wine and blue cheese",
    ].entries())
      await write(ada, `t${index}`, text, { tags: ["colour"] });
    const measure = async () => {
      const { ctx, meter } = meteredCtx(await ctxOf(ada));
      for (const q of ["red blue", "gren", "tag:colour", "-red", '"green blue"', "gre*"])
        await searchStore(ctx, SearchQuery.parse({ q, type: "all" }));
      return { rows: meter.rowsRead, found: await search(ada, "red blue green") };
    };
    // Finding the end of a range reads the row after it: one row, however many follow.
    await write(bob, "red", "red green blue", { tags: ["colour"] });
    const before = await measure();
    for (let round = 0; round < 30; round++)
      await write(bob, "red", "red red green blue wine tea ".repeat((round % 10) + 1), { tags: ["colour"] });
    expect(await measure()).toEqual(before);
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
      (SELECT entries FROM search_totals) AS total, (SELECT doc FROM search_words WHERE term = ?) AS indexed`,
  )
    .bind(`${await numberOf(ada)}xshared`)
    .first();
  expect(counts).toEqual({ documents: 13, entries: 13, total: 13, indexed: 13 });
});
