import { expect, test } from "vitest";
import { createDocumentTool } from "../../src/features/documents/tools.ts";
import { runCall, type Tool } from "../../src/platform/tools/tool.ts";
import { type Assistant, assistant } from "../kit/assistant.ts";
import { person } from "../kit/client.ts";

// What is saved a second time is noticed: the same content under another topic, the same document again.

const PROMISE = {
  memory_type: "commitment",
  topic: "Slides for the board",
  content: "Grace needs the quarterly slides by Friday",
} as const;

test("the same content under another topic is noticed, one's own and open only, and says why", async () => {
  const [ada, bob] = [await person(), await person()];
  const [mine, theirs] = [await assistant(ada), await assistant(bob)];
  await theirs.remember(PROMISE);
  expect(await mine.remember(PROMISE)).not.toHaveProperty("similar");
  const again = { ...PROMISE, topic: "Friday", content: "grace needs the quarterly slides, by Friday." };
  expect((await mine.remember(again)).similar).toEqual([
    { id: "mem:1", topic: PROMISE.topic, why: "same content" },
  ]);
  const both = { ...PROMISE, topic: "The board's slides", due_date: "2099-01-01" };
  expect((await mine.remember(both)).similar).toEqual([
    { id: "mem:2", topic: "Friday", why: "same content" },
    { id: "mem:1", topic: PROMISE.topic, why: "same content, similar topic" },
  ]);
  const other = { ...PROMISE, topic: "Milk", content: `${PROMISE.content} and some milk` };
  expect(await mine.remember(other)).not.toHaveProperty("similar");
  await mine.closeMemories({ ids: [1, 2, 3], outcome: "archived" });
  expect(await mine.remember({ ...PROMISE, topic: "Rest" })).not.toHaveProperty("similar");

  const long = "The hut has forty beds and a stove. ".repeat(30);
  await mine.remember({ ...PROMISE, topic: "Hut", content: `${long}Book it.` });
  const records = [
    { ...PROMISE, topic: "Night", content: `${long}BOOK IT. ` },
    { ...PROMISE, topic: "Beds", content: `${long}Do not.` },
    { ...PROMISE, topic: "東京の朝", content: "東京の朝ごはんを予約する" },
  ];
  const { results = [] } = await mine.remember({ records });
  expect(results.map(({ similar }) => similar?.map(({ topic, why }) => [topic, why]))).toEqual([
    [["Hut", "same content"]],
    undefined,
    undefined,
  ]);
  const morning = { ...PROMISE, topic: "Frühstück", content: "東京の朝ごはんを予約する" };
  expect((await mine.remember(morning)).similar).toMatchObject([{ topic: "東京の朝" }]);
});

test("equal documents that are saved in a row are noticed, and those of the same title", async () => {
  const [ada, bob] = [await person(), await person()];
  const [mine, theirs] = [await assistant(ada), await assistant(bob)];
  const text = "# Packing\n\nBoots, tent, map";
  const save = (by: Assistant, title: string, body = text) => by.createDocument({ title, text: body });
  await save(theirs, "Packing");
  const first = await save(mine, "Packing");
  expect(first).not.toHaveProperty("similar");
  const second = await save(mine, "Packing");
  expect(second.similar).toEqual([{ id: first.id, title: "Packing", why: "same text, same title" }]);
  const third = await save(mine, "Things to take");
  expect(third.similar).toEqual(
    [second, first].map(({ id }) => ({ id, title: "Packing", why: "same text" })),
  );
  const named = await save(mine, "packing", "# Other\n\nThings to buy");
  expect(named.similar?.map(({ why }) => why)).toEqual(["same title", "same title"]);
  expect(await save(mine, "Alps", `${text}, rope`)).not.toHaveProperty("similar");
  const huge = `${text}\n${"A long line of a book. ".repeat(20_000)}`;
  await save(mine, "Book", huge);
  expect((await save(mine, "The book", huge)).similar).toMatchObject([{ title: "Book", why: "same text" }]);

  const call = { tool: createDocumentTool as unknown as Tool, sent: { title: "Packing", text } };
  expect(Object.keys(await runCall({ ...mine.ctx, scopes: ["docs:write"] }, call))).toEqual([
    "id",
    "change_id",
  ]);
});
