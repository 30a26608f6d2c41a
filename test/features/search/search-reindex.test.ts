import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { documentResults } from "../../../src/contract/search.ts";
import { deleteDocumentRoute } from "../../../src/features/documents/routes.ts";
import { reindexRoute } from "../../../src/features/search/routes.ts";
import { purge } from "../../../src/purge.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { find, findAll, remember, search, write } from "../../kit/search.ts";

const step = (client: Client, all = false) => client.ok(reindexRoute, { json: { all } });
const run = (...queries: string[]) => env.DB.batch(queries.map((query) => env.DB.prepare(query)));
const checkIndex = () => run("INSERT INTO search_index(search_index) VALUES ('integrity-check')");

describe("reindexing", () => {
  test("is reserved for the admin, proceeds in steps, and keeps everything searchable", async () => {
    const [admin, bob] = [await person(), await person()];
    expect((await bob.call(reindexRoute, { json: {} })).status).toBe(403);
    await Promise.all(Array.from({ length: 60 }, (_, index) => write(bob, `t${index}`, "word shared")));
    await remember(bob, "shared");
    expect(await step(admin)).toEqual({ indexed: 0, remaining: 0 });

    // What an older version wrote, or lost.
    await run("UPDATE search_entries SET index_version = 0", "DELETE FROM search_index WHERE rowid % 2 = 0");
    const found = async () => (await search(bob, "shared", { type: "all" })).total;
    expect(await step(admin)).toEqual({ indexed: 50, remaining: 11 });
    expect(await found()).toBeGreaterThanOrEqual(50);
    expect(await step(admin)).toEqual({ indexed: 11, remaining: 0 });
    expect(await found()).toBe(61);
    expect(await step(admin, true)).toEqual({ indexed: 50, remaining: 11 });
    await checkIndex();
  });

  test("is refused in a shard without the tables of this version, with what to do", async () => {
    const { status, body } = await (await person()).call(reindexRoute, { json: { home: 2 } });
    expect([status, body]).toEqual([409, { detail: "DB_2 lacks migrations: run npm run migrate first" }]);
  });

  test("is not waited for: what version 2 wrote is found as before", async () => {
    const ada = await person();
    await write(ada, "old", "flowing water");
    const own = `${await numberOf(ada)}x`;
    // Version 2 wrote forms only of words that differ from them.
    await run(
      `INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
       SELECT entry, '${own}old', '', '${own}flowing ${own}water', '${own}~flow ${own}+flowi' FROM search_entries`,
      "UPDATE search_entries SET index_version = 2, tokens = 0",
    );
    await write(ada, "new", "water flows");
    const expectAll = async () => {
      for (const q of ["water", "flowing", "flow"])
        expect((await find(ada, q)).toSorted(), q).toEqual(["new", "old"]);
    };
    await expectAll();
    expect(await find(ada, "title:old")).toEqual(["old"]);
    expect(await step(ada)).toEqual({ indexed: 1, remaining: 0 });
    await expectAll();
  });

  test("is not waited for: records of version 3 are found by their words, and later by what they are", async () => {
    const ada = await person();
    const own = `${await numberOf(ada)}x`;
    await write(ada, "Document", "Grace");
    await remember(ada, "Grace", { memory_type: "decision", due_date: "2026-05-03" });
    const entry = "(SELECT entry FROM search_entries WHERE kind = 'memory')";
    await run(
      `INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra) VALUES (${entry},
        '${own}grace ${own}=grace ${own}-grace', '', '${own}about ${own}it', '${own}~about ${own}~it')`,
      "UPDATE search_entries SET index_version = 3",
      `UPDATE search_entries SET tokens = 7 WHERE entry = ${entry}`,
    );
    expect([await findAll(ada, "grace"), await findAll(ada, "3 May")]).toEqual([["Grace", "Document"], []]);
    expect(await step(ada)).toEqual({ indexed: 2, remaining: 0 });
    for (const q of ["decision", "3 May"]) expect(await findAll(ada, q)).toEqual(["Grace"]);
  });

  test("is not waited for: C++, which version 4 wrote as C, is found until then as before", async () => {
    const ada = await person();
    await write(ada, "old", "a course on C");
    await run("UPDATE search_entries SET index_version = 4");
    await write(ada, "new", "a course on C++");
    for (const q of ["C++", "title:old OR C++"])
      expect((await find(ada, q)).toSorted()).toEqual(["new", "old"]);
    expect(await find(ada, "C")).toEqual(["old"]);
    expect(await step(ada)).toEqual({ indexed: 1, remaining: 0 });
    expect(await find(ada, "C++")).toEqual(["new"]);
  });

  test("is not needed for deleted words: the cron handler removes them from the index", async () => {
    const ada = await person();
    for (let n = 0; n < 30; n++) {
      const words = Array.from({ length: 300 }, (_, word) => `w${n}x${word}`);
      await write(ada, `t${n}`, `walrus ${words.join(" ")}`);
    }
    const size = async () =>
      Number(await env.DB.prepare("SELECT sum(length(block)) AS size FROM search_index_data").first("size"));
    const full = await size();
    const found = documentResults(await search(ada, "walrus", { limit: 100 }));
    for (const { id } of found.slice(1)) await ada.ok(deleteDocumentRoute, { params: { document_id: id } });
    await purge(env);
    expect(await size()).toBeLessThan(full / 5);
    expect((await search(ada, "walrus")).total).toBe(1);
    await checkIndex();
  });

  test("is continued by the cron handler, and drops entries without a record", async () => {
    const ada = await person();
    await write(ada, "here", "word");
    await run(
      `INSERT INTO search_entries (owner, kind, record, length, index_version)
        VALUES (${await numberOf(ada)}, 'document', 'gone', 1, 0)`,
      "UPDATE search_entries SET index_version = 0",
    );
    await purge(env);
    expect(await step(ada)).toEqual({ indexed: 0, remaining: 0 });
    expect(await find(ada, "word")).toEqual(["here"]);
    expect(await env.DB.prepare("SELECT entries FROM search_totals").first()).toEqual({ entries: 1 });
  });
});
