import { expect, test } from "vitest";
import { listFoldersRoute } from "../../../src/features/folders/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { type Assistant, assistant } from "../../kit/assistant.ts";
import { person } from "../../kit/client.ts";
import { bareId, expectRefusals, stateless, use } from "../../kit/mcp.ts";
import { at } from "../../kit/records.ts";

// What tools refuse, in words that lead on: where something is, what it is now, what to call instead.

const NOTE = { memory_type: "commitment", topic: "Hut", content: "Book it" } as const;

test("several records do not get the same topic, content or version, each one can have its own", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  for (const topic of ["Boots", "Tent", "Map"]) await claude.remember({ ...NOTE, topic });
  for (const field of [{ topic: "Hut" }, { content: "x" }, { expected_version: 1 }]) {
    const [name] = Object.keys(field);
    const refused = claude.updateMemory({ ids: [1, 2, 2], ...field, project: "Alps" });
    await expect(refused).rejects.toThrow(`${name}: cannot be the same for 2 records; nothing was changed`);
    const records = [{ id: 1, project: "Alps" }, { id: 2 }];
    await expect(claude.updateMemory({ records, ...field })).rejects.toThrow(
      `${name}: cannot be the same for 2`,
    );
  }
  const { items } = await ada.ok(memories.listMemoriesRoute, { query: { sort: "created_at" } });
  const kept = ["Map", "Tent", "Boots"].map((topic) => ({ topic, version: 1 }));
  expect(items).toMatchObject(kept);
  const one = await claude.updateMemory({ ids: [1, 1], topic: "Good boots" });
  expect(one.memory).toMatchObject({ topic: "Good boots", version: 2 });
  const records = [{ id: 2, topic: "Small tent" }];
  const own = await claude.updateMemory({ records, content: "Two persons" });
  expect(own.results).toMatchObject([{ ok: true, topic: "Small tent" }]);
  await claude.updateMemory({ ids: [1, 2, 3], project: "Alps" });
});

test("a conflict names every field that has changed", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  await claude.remember({ ...NOTE, topic: "Boots" });
  const due = { due_date: "2099-01-01", due_time: "17:00", remind: ["none"] };
  await claude.updateMemory({ id: 1, priority: "high", ...due });
  await expect(claude.updateMemory({ id: 1, topic: "Shoes", expected_version: 1 })).rejects.toThrow(
    'priority is "high" now instead of empty; due_date is "2099-01-01" now instead of empty; due_time is "17:00" now instead of empty',
  );
});

test("what another assistant has just written is not replaced unseen, and a conflict says what it is", async () => {
  const ada = await person({ timezone: "Europe/Berlin" });
  const claude = await assistant(ada);
  const other = await assistant(ada, undefined, { client_name: "ChatGPT" });
  for (const topic of ["Boots", "Tent", "Map"])
    await claude.remember({ ...NOTE, topic, due_date: "2099-01-01" });
  await other.updateMemory({ id: 1, due_date: "2099-02-02", content: "Book it twice", project: "Alps" });
  const stale = claude.updateMemory({ id: 1, due_date: "2099-03-03", expected_version: 1 });
  await expect(stale).rejects.toThrow(
    /^expected_version: mem:1 has version 2, not 1; it was written by ChatGPT at \S+\+0\d:00; project is "Alps" now instead of empty; due_date is "2099-02-02" now instead of "2099-01-01"; content is different\. Nothing .* repeat it with expected_version 2$/,
  );
  const records = [
    { id: 1, due_date: "2099-03-03", expected_version: 1 },
    { id: "mem:2", due_date: "2099-03-03", expected_version: "1" },
    { id: 3, due_date: "2099-03-03" },
    { id: 9, due_date: "2099-03-03", expected_version: 1 },
  ];
  expect((await claude.updateMemory({ records })).results).toMatchObject([
    { id: "mem:1", ok: false, detail: expect.stringContaining("2, not 1; it was written by ChatGPT") },
    { id: "mem:2", ok: true, version: 2 },
    { id: "mem:3", ok: true, due_date: "2099-03-03 (Tuesday)" },
    { id: "mem:9", ok: false, detail: expect.stringContaining("is not one of your records") },
  ]);
  expect(await ada.ok(memories.getMemoryRoute, { params: at({ id: 1 }) })).toMatchObject({
    due_date: "2099-02-02",
    version: 2,
  });
  const again = await claude.updateMemory({ id: 1, due_date: "2099-03-03", expected_version: 2 });
  expect(again.memory).toMatchObject({ due_date: "2099-03-03 (Tuesday)", version: 3 });
  const read = await use(stateless(ada), "fetch", { id: "mem:1" });
  expect(read.metadata).toMatchObject({ version: 3 });

  const { id } = await claude.createDocument({ title: "Plan", text: "One\nTwo" });
  const edit = (who: Assistant, more: object) => who.editDocument({ id, ...more });
  const replaced = { operation: "find_replace", find_text: "Two", text: "Three" };
  await edit(other, { ...replaced, title: "The plan", add_tags: "x" });
  const late = edit(claude, { operation: "append", text: "Four", expected_version: 1 });
  await expect(late).rejects.toThrow(
    /^expected_version: doc:\S+ has version 2, not 1; it was written by ChatGPT at \S+; its title is "The plan" now; its tags are \["x"\] now; its changed lines are 2: Three\. Nothing .* expected_version 2$/,
  );
  const blind = await assistant(ada, undefined, { scopes: ["docs:write"] });
  await expect(edit(blind, { operation: "append", text: "x", expected_version: 1 })).rejects.toThrow(
    /has version 2, not 1; it was written by ChatGPT at \S+\. Nothing was changed/,
  );
});

test("what is in the trash is said to be there, and another account's is not told apart from nothing", async () => {
  const [mine, theirs] = [stateless(await person({ timezone: "Europe/Berlin" })), stateless(await person())];
  await use(mine, "remember", NOTE);
  await use(mine, "remember", { ...NOTE, topic: "Tent", content: "Two persons" });
  await use(mine, "close_memories", { ids: [1], outcome: "deleted" });
  const id = String((await use(mine, "create_document", { title: "Plan", text: "One" })).id);
  await use(mine, "delete_document", { id });

  const inTrash = /^mem:1 is in the trash until \d{4}-\d\d-\d\d \(\w+day\): restore brings it back$/;
  const gone = new RegExp(inTrash.source.replace("mem:1", id));
  const append = { id, operation: "append", text: "x" };
  await expectRefusals(mine, [
    ["update_memory", { id: 1, topic: "x" }, inTrash],
    ["list_versions", { id: "mem:1" }, inTrash],
    ["remember", { ...NOTE, replaces_id: 1 }, /^replaces_id: mem:1 is in the trash/],
    ["edit_document", append, gone],
    ["delete_document", { id }, gone],
    ["list_versions", { id }, gone],
    ["fetch", { id: `${id}@1` }, gone],
  ]);
  const { results } = await use(mine, "close_memories", { ids: [1, 2, 7], outcome: "archived" });
  const unknown =
    "mem:7 is not one of your records: list_memories shows their ids, list_trash those of deleted ones";
  expect(results).toMatchObject([
    { ok: false, detail: expect.stringMatching(inTrash) },
    { ok: true },
    { ok: false, detail: unknown },
  ]);
  const nothing = new RegExp(
    `^${id} was not found: search and list_documents show the ids, list_trash shows those deleted in the last 30 days$`,
  );
  await expectRefusals(theirs, [
    ["delete_document", { id }, nothing],
    ["edit_document", append, nothing],
    ["fetch", { id }, nothing],
    ["restore", { id }, nothing],
    ["list_versions", { id }, nothing],
    ["fetch", { id: "mem:1" }, "is not one of your records"],
  ]);
  await use(mine, "restore", { id });
  await expectRefusals(mine, [
    [
      "fetch",
      { id: `${id}@7` },
      new RegExp(`^${id} has no version 7: list_versions shows those that are kept$`),
    ],
    ["restore", { id: "mem:2", version: 9 }, "mem:2 has no version 9: list_versions"],
  ]);
});

test("a folder is said to be one, a record or a document where the other belongs, and a name where it belongs", async () => {
  const client = await person();
  const ada = stateless(client);
  const { id: doc } = await use(ada, "create_document", { title: "Plan", text: "One", folder: "Trips" });
  await use(ada, "remember", NOTE);
  const id = (await client.ok(listFoldersRoute)).items[0]?.id;
  const folder = /^folder:\S+ is a folder, not a document: list_documents .* only the app deletes folders$/;
  const reopened = { ids: [1], outcome: "reopened", due_date: "2099-01-01" };
  await expectRefusals(ada, [
    ["delete_document", { id: `folder:${id}` }, folder],
    ["delete_document", { id }, folder],
    ["edit_document", { id, operation: "append", text: "x" }, "is a folder"],
    ["fetch", { id: `folder:${id}` }, "list_documents shows what is in a folder"],
    ["delete_document", { id: "mem:1" }, "close_memories"],
    ["close_memories", { ids: [doc], outcome: "deleted" }, "delete_document"],
    ["update_memory", { id: bareId(doc), topic: "x" }, "edit_document"],
    [
      "update_memory",
      { id: "the slides", topic: "x" },
      "ids.0: must be mem:<number>, as shown by search and",
    ],
    ["update_memory", { id: 1, status: "resolved" }, "status: is not a field here; close_memories"],
    ["search", { query: "x", project: "Apollo" }, "write project:Apollo into query"],
    ["fetch", { id: "mem:1", version: 3 }, "write it after the id: mem:4@3"],
    ["close_memories", reopened, "update_memory"],
    ["whoami", { x: 1 }, /^x: is not a field here; there are none\. Call whoami again without any$/],
    ["create_document", { title: "A", text: "\u0000" }, /^text: must not contain/],
    ["delete_document", {}, /^ids: is required/],
  ]);
  await use(ada, "close_memories", { ids: [1], outcome: "resolved" });
  const replacing = { ...NOTE, replaces_id: 1 };
  await expectRefusals(ada, [["remember", replacing, /^replaces_id: A resolved .* leave replaces_id out$/]]);
});
