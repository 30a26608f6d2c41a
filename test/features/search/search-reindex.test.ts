import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { documentResults } from "../../../src/contract/search.ts";
import { deleteDocumentRoute } from "../../../src/features/documents/routes.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { reindexRoute } from "../../../src/features/search/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { find, search, write } from "../../kit/search.ts";

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

  test("is refused in a home without the tables of this version, with what to do", async () => {
    const { status, body } = await (await person()).call(reindexRoute, { json: { home: 2 } });
    expect([status, body]).toEqual([409, { detail: "DB_2 lacks migrations: run npm run migrate first" }]);
  });

  test("is not waited for: what an older version wrote is found as before", async () => {
    const ada = await person();
    await write(ada, "old", "flowing water");
    const own = `${await numberOf(ada)}x`;
    // As version 2 wrote it: forms only of words that differ from them.
    await env.DB.prepare(
      `INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
       SELECT entry, '${own}old', '', '${own}flowing ${own}water', '${own}~flow ${own}+flowi' FROM search_entries`,
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

  test("is not waited for: C++, which version 4 wrote as C, is found until then as before", async () => {
    const ada = await person();
    await write(ada, "old", "a course on C");
    await env.DB.prepare("UPDATE search_entries SET index_version = 4").run();
    await write(ada, "new", "a course on C++");
    const all = async () => [
      await find(ada, "C++"),
      await find(ada, "title:old OR C++"),
      await find(ada, "C"),
    ];
    expect((await all()).map((titles) => titles.toSorted())).toEqual([
      ["new", "old"],
      ["new", "old"],
      ["old"],
    ]);
    expect(await step(ada)).toEqual({ indexed: 1, remaining: 0 });
    expect((await all())[0]).toEqual(["new"]);
  });

  test("is not needed for deleted words: the cron handler removes them from the index", async () => {
    const ada = await person();
    const text = (n: number) =>
      `walrus ${Array.from({ length: 300 }, (_, word) => `w${n}x${word}`).join(" ")}`;
    for (let n = 0; n < 30; n++) await write(ada, `t${n}`, text(n));
    const size = async () =>
      Number(await env.DB.prepare("SELECT sum(length(block)) AS size FROM search_index_data").first("size"));
    const full = await size();
    const found = documentResults(await search(ada, "walrus", { limit: 100 }));
    for (const { id } of found.slice(1)) await ada.ok(deleteDocumentRoute, { params: { document_id: id } });
    const { purge } = await import("../../../src/purge.ts");
    await purge(env);
    expect(await size()).toBeLessThan(full / 5);
    expect((await search(ada, "walrus")).total).toBe(1);
    await env.DB.prepare("INSERT INTO search_index(search_index) VALUES ('integrity-check')").run();
  });

  test("is continued by the cron handler, and drops entries without a record", async () => {
    const ada = await person();
    await write(ada, "here", "word");
    await env.DB.prepare(
      "INSERT INTO search_entries (owner, kind, record, length, index_version) VALUES (?, 'document', 'gone', 1, 0)",
    )
      .bind(await numberOf(ada))
      .run();
    await env.DB.prepare("UPDATE search_entries SET index_version = 0").run();
    const { purge } = await import("../../../src/purge.ts");
    await purge(env);
    expect(await step(ada)).toEqual({ indexed: 0, remaining: 0 });
    expect(await find(ada, "word")).toEqual(["here"]);
    expect(await env.DB.prepare("SELECT entries FROM search_totals").first()).toEqual({ entries: 1 });
  });
});
