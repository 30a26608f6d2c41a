import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createDocumentTool } from "../../src/features/documents/tools.ts";
import { closeMemories, remember } from "../../src/features/memories/tools.ts";
import { runCall, type Tool } from "../../src/platform/tools/tool.ts";
import { person } from "../kit/client.ts";
import { callTool, ctxOf } from "../kit/ctx.ts";
import { ClientOf } from "../kit/database.ts";
import { stateless, use } from "../kit/mcp.ts";
import { meterDatabase } from "../kit/meter.ts";

// What is saved a second time is noticed: the same content under another topic, the same document again.

const PROMISE = {
  memory_type: "commitment",
  topic: "Slides for the board",
  content: "Grace needs the quarterly slides by Friday",
} as const;

test("the same content under another topic is noticed, one's own and open only, and says why", async () => {
  const [ada, bob] = [await person(), await person()];
  const [mine, theirs] = [await ctxOf(ada), await ctxOf(bob)];
  await callTool(theirs, remember, PROMISE);
  expect(await callTool(mine, remember, PROMISE)).not.toHaveProperty("similar");
  const again = { ...PROMISE, topic: "Friday", content: "grace needs the quarterly slides, by Friday." };
  expect((await callTool(mine, remember, again)).similar).toEqual([
    { id: "mem:1", topic: PROMISE.topic, why: "same content" },
  ]);
  const both = { ...PROMISE, topic: "The board's slides", due_date: "2099-01-01" };
  expect((await callTool(mine, remember, both)).similar).toEqual(
    [
      { id: "mem:1", topic: PROMISE.topic, why: "same content, similar topic" },
      { id: "mem:2", topic: "Friday", why: "same content" },
    ].toSorted((a, b) => (a.id < b.id ? 1 : -1)),
  );
  const other = {
    ...PROMISE,
    topic: "Milk",
    content: "Grace needs the quarterly slides by Friday and some milk",
  };
  expect(await callTool(mine, remember, other)).not.toHaveProperty("similar");
  await callTool(mine, closeMemories, { ids: [1, 2, 3], outcome: "archived" });
  expect(await callTool(mine, remember, { ...PROMISE, topic: "Rest" })).not.toHaveProperty("similar");

  const long = "The hut has forty beds and a stove. ".repeat(30);
  await callTool(mine, remember, { ...PROMISE, topic: "Hut", content: `${long}Book it.` });
  const records = [
    { ...PROMISE, topic: "Night", content: `${long}BOOK IT. ` },
    { ...PROMISE, topic: "Beds", content: `${long}Do not.` },
    { ...PROMISE, topic: "東京の朝", content: "東京の朝ごはんを予約する" },
  ];
  const { results = [] } = await callTool(mine, remember, { records });
  expect(results.map(({ similar }) => similar?.map(({ topic, why }) => [topic, why]))).toEqual([
    [["Hut", "same content"]],
    undefined,
    undefined,
  ]);
  const morning = { ...PROMISE, topic: "Frühstück", content: "東京の朝ごはんを予約する" };
  expect((await callTool(mine, remember, morning)).similar).toMatchObject([{ topic: "東京の朝" }]);
});

test("equal documents that are saved in a row are noticed, and those of the same title", async () => {
  const [ada, bob] = [await person(), await person()];
  const [mine, theirs] = [await ctxOf(ada), await ctxOf(bob)];
  const text = "# Packing\n\nBoots, tent, map";
  const save = (ctx: typeof mine, title: string, body = text) =>
    callTool(ctx, createDocumentTool, { title, text: body });
  await save(theirs, "Packing");
  const first = await save(mine, "Packing");
  expect(first).not.toHaveProperty("similar");
  const second = await save(mine, "Packing");
  expect(second.similar).toEqual([{ id: first.id, title: "Packing", why: "same text, same title" }]);
  const third = await save(mine, "Things to take");
  expect(third.similar).toEqual(
    [
      { id: second.id, title: "Packing", why: "same text, same title" },
      { id: first.id, title: "Packing", why: "same text, same title" },
    ].map((one) => ({ ...one, why: "same text" })),
  );
  const named = await save(mine, "packing", "# Other\n\nThings to buy");
  expect(named.similar?.map(({ why }) => why)).toEqual(["same title", "same title"]);
  expect(await save(mine, "Alps", `${text}, rope`)).not.toHaveProperty("similar");
  const huge = `${text}\n${"A long line of a book. ".repeat(20_000)}`;
  await save(mine, "Book", huge);
  expect((await save(mine, "The book", huge)).similar).toMatchObject([{ title: "Book", why: "same text" }]);

  const call = { tool: createDocumentTool as unknown as Tool, sent: { title: "Packing", text } };
  expect(Object.keys(await runCall({ ...mine, scopes: ["docs:write"] }, call))).toEqual(["id", "change_id"]);
});

test("what is saved again is noticed in one call and by reading few rows, however much says the same", async () => {
  const meter = { rowsRead: 0, rowsWritten: 0, calls: 0 };
  const ada = stateless(new ClientOf(await person(), meterDatabase(env.DB, meter)));
  const theirs = await ctxOf(await person());
  const document = { title: "Plan", text: "The same plan as on every other day" };
  const record = (n: number) => ({ ...PROMISE, topic: `Number ${n}` });
  const cost = async (tool: string, args: object) => {
    Object.assign(meter, { rowsRead: 0, calls: 0 });
    const answer = await use(ada, tool, args as Record<string, unknown>);
    expect([meter.calls, (answer.similar as object[]).length]).toEqual([1, 3]);
    return meter.rowsRead;
  };
  const costs = async (from: number) => [
    await cost("create_document", document),
    await cost("remember", { ...PROMISE, topic: `Saved as ${from}` }),
  ];
  const add = async (from: number, count: number) => {
    const numbers = Array.from({ length: count }, (_, n) => from + n);
    await use(ada, "remember", { records: numbers.map(record) });
    for (const _ of numbers) await use(ada, "create_document", document);
  };
  await add(0, 40);
  const [documents = 0, records = 0] = await costs(1000);
  await add(40, 40);
  for (let n = 0; n < 40; n++) {
    await callTool(theirs, createDocumentTool, document);
    await callTool(theirs, remember, record(n));
  }
  const [later = 0, more = 0] = await costs(2000);
  expect(later).toBeLessThanOrEqual(documents + 10);
  expect(more).toBeLessThanOrEqual(records + 10);
});
