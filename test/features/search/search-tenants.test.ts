import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { documentResults, SearchQuery } from "../../../src/contract/search.ts";
import { deleteDocumentRoute, updateDocumentRoute } from "../../../src/features/documents/routes.ts";
import { search as searchStore } from "../../../src/features/search/store.ts";
import { openDatabase } from "../../../src/platform/db/call.ts";
import { openSession } from "../../../src/platform/db/session.ts";
import { person } from "../../kit/client.ts";
import { ctxOf, numberOf } from "../../kit/ctx.ts";
import { metered } from "../../kit/meter.ts";
import { search, write } from "../../kit/search.ts";

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
      expect(documentResults(answer).every(({ title }) => title === "mine")).toBe(true);
      expect(answer.total).toBe(documentResults(answer).length);
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
      (SELECT entries FROM search_totals) AS total, (SELECT doc FROM search_words WHERE term = ?) AS indexed`,
  )
    .bind(`${await numberOf(ada)}xshared`)
    .first();
  expect(counts).toEqual({ documents: 13, entries: 13, total: 13, indexed: 13 });
});
