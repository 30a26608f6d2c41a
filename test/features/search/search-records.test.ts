import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import {
  archiveMemoryRoute,
  createMemoryRoute,
  listMemoriesRoute,
  reopenMemoryRoute,
  resolveMemoryRoute,
  updateMemoryRoute,
} from "../../../src/features/memories/routes.ts";
import { reindexRoute, searchRoute } from "../../../src/features/search/routes.ts";
import { purge } from "../../../src/purge.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { search, write } from "../../kit/search.ts";

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

describe("a date", () => {
  const TEXTS = {
    written: "Melanie ran the charity race on 3 May and was proud",
    reversed: "On May 3rd, 2026 Caroline went to the support group",
    numbers: "2026-05-03: painted a sunrise",
    short: "Dinner with Grace, 3 Sept",
    other: "On 4 May they went camping; 13 May was a Wednesday",
  };

  test.for([
    ["3 May", ["numbers", "reversed", "written"]],
    ["May 3rd", ["numbers", "reversed", "written"]],
    ["2026-05-03", ["numbers", "reversed", "written"]],
    ["What did Caroline do on 3 May 2026?", ["reversed"]],
    ["september 3rd", ["short"]],
    ["2026-05-13", ["other"]],
  ] as const)("is found in any spelling: %s", async ([q, expected]) => {
    const ada = await person();
    for (const [topic, content] of Object.entries(TEXTS)) {
      await ada.ok(createMemoryRoute, { json: { memory_type: "context", topic, content } });
    }
    const { results } = await search(ada, q, { type: "memories" });
    const topics = results.flatMap((result) => ("memory" in result ? [result.memory.topic] : []));
    expect(topics.slice(0, expected.length).toSorted()).toEqual(expected);
  });

  test("is reported where it was found, and is no reason to leave out other records", async () => {
    const ada = await person();
    await write(ada, "written", TEXTS.written);
    await write(ada, "may", "Three people came");
    const { results, total } = await search(ada, "2026-05-03 race people", { explain: "true" });
    expect(total).toBe(2);
    expect(results[0]?.matched).toEqual(["race", "2026-05-03"]);
    expect(results[0]?.explanation?.map(({ because, words }) => [because, words])).toContainEqual([
      "date",
      ["2026-05-03"],
    ]);
    expect((await search(ada, "2026-05-03")).results[0]?.matched).toEqual(["2026-05-03"]);
  });
});

test("a record is found by the note with which it was closed, also one that an earlier version indexed", async () => {
  const ada = await person();
  const json = { memory_type: "commitment", topic: "Call the plumber", content: "About the tap" } as const;
  const { id } = await ada.ok(createMemoryRoute, { json });
  const params = { memory_id: String(id) };
  const found = async (q: string) => {
    const { results } = await ada.ok(searchRoute, { query: { q, type: "memories", highlight: "mark" } });
    const { total } = await ada.ok(listMemoriesRoute, { query: { q } });
    return [results.map(({ snippet }) => snippet), total];
  };
  expect(await found("washer")).toEqual([[], 0]);
  await ada.ok(resolveMemoryRoute, { params, json: { resolution_note: "A new Washer was enough" } });
  expect(await found("washer")).toEqual([[expect.stringContaining("<mark>Washer</mark>")], 1]);
  await env.DB.batch([
    env.DB.prepare(`UPDATE search_entries SET index_version = 3 WHERE kind = 'memory' AND owner = ?`).bind(
      await numberOf(ada),
    ),
    env.DB.prepare(`INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
      SELECT entry, '', '', '', '' FROM search_entries WHERE kind = 'memory' AND owner = ?`).bind(
      await numberOf(ada),
    ),
  ]);
  expect((await found("washer"))[0]).toEqual([]);
  await purge(env);
  expect((await found("washer"))[0]).toHaveLength(1);
  await ada.ok(reopenMemoryRoute, { params, json: {} });
  expect(await found("washer")).toEqual([[], 0]);
});
