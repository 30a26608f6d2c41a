import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { at, bulk, create, prose, read, remove, textOf, update, versionsOf } from "../../kit/documents.ts";
import { send } from "../../kit/files.ts";
import { fileOf } from "../../kit/import-lines.ts";
import { markdownZip } from "../../kit/markdown-zip.ts";
import { stateless, use } from "../../kit/mcp.ts";

// A document gets its new title in the texts that link to it, too.

const note = (client: Client, title: string, text = "", more: object = {}) =>
  create(client, { title, content: prose(text), ...more });
const leads = async (client: Client, one: { id: string }) =>
  (await client.ok(documents.listDocumentLinksRoute, at(one))).links.map(
    ({ document }) => document?.id ?? null,
  );

/** Renames a document; returns the id of the change. */
async function rename(client: Client, one: { id: string }, title: string, headers = {}): Promise<string> {
  const answer = await client.call(documents.updateDocumentRoute, { ...at(one), json: { title }, headers });
  expect(answer.status, answer.text).toBe(200);
  return answer.headers.get("Change-Id") ?? "";
}
const undo = (client: Client, change_id: string) => client.ok(undoActivityRoute, { json: { change_id } });

test("the texts that link to a document get its new title, each as a version, and one undo takes all back", async () => {
  const ada = await person();
  const target = await note(ada, "Plan");
  const texts = ["See [[Plan]] and [[plan#Why|the plan]].", "[it](Plan.md) `[[Plan]]`"];
  const [one, two] = [await note(ada, "One", texts[0]), await note(ada, "Two", texts[1])];
  const byId = await note(ada, "Three", `[[doc:${target.id}]]`);
  const change = await rename(ada, target, "The big plan");
  expect(await textOf(ada, one)).toBe("See [[The big plan]] and [[The big plan#Why|the plan]].");
  expect(await textOf(ada, two)).toBe("[it](The%20big%20plan.md) `[[Plan]]`");
  expect(await versionsOf(ada, one)).toEqual([1]);
  expect((await read(ada, byId)).version).toBe(1);
  for (const from of [one, two, byId]) expect(await leads(ada, from)).toEqual([target.id]);
  expect(await undo(ada, change)).toMatchObject({ undone: 3, not_undone: 0 });
  expect([await textOf(ada, one), await textOf(ada, two), (await read(ada, target)).title]).toEqual([
    ...texts,
    "Plan",
  ]);
  for (const from of [one, two, byId]) expect(await leads(ada, from)).toEqual([target.id]);
});

test("a text that is undone before its target leads there again once that is back", async () => {
  const ada = await person();
  const target = await note(ada, "Plan");
  const [from, other] = [await note(ada, "From", "[[Plan]]"), await note(ada, "Other", "[[Plan]]")];
  const changeOf = async (one: { id: string }, json: object) =>
    (await ada.call(documents.updateDocumentRoute, { ...at(one), json })).headers.get("Change-Id") ?? "";
  const renaming = await rename(ada, target, "The plan");
  const cleared = await changeOf(from, { content: prose("nothing") });
  const moved = await ada.call(documents.deleteDocumentRoute, at(target));
  await undo(ada, cleared);
  expect([await textOf(ada, from), await leads(ada, from)]).toEqual(["[[The plan]]", [null]]);
  await undo(ada, moved.headers.get("Change-Id") ?? "");
  await undo(ada, renaming);
  for (const one of [from, other])
    expect([await textOf(ada, one), await leads(ada, one)]).toEqual(["[[Plan]]", [target.id]]);
});

test("properties get the new title as well, and their front matter stays the YAML that it was", async () => {
  const ada = await person();
  const source =
    '---\n# about Ada\nrelated: "[[Plan]]"   # as it was\nup: \'[[Plan|the plan]]\'\nlist:\n  - "[[Plan]]"\n  - "[[Other]]"\nsame: "[[Other]]"\n---\n';
  const front_matter = {
    ...{ related: "[[Plan]]", up: "[[Plan|the plan]]", list: ["[[Plan]]", "[[Other]]"], same: "[[Other]]" },
  };
  const target = await note(ada, "Plan");
  const content = { ...prose("No link"), front_matter, front_matter_source: source };
  const from = await create(ada, { title: "From", content });
  const alone = await create(ada, { title: "Alone", content: { ...prose("[[New]]"), front_matter } });
  const change = await rename(ada, target, 'It’s: "new" – {a}, & b');
  const now = async (one: { id: string }) => (await read(ada, one)).content?.front_matter;
  expect(await now(from)).toEqual({
    related: '[[It’s: "new" – {a}, & b]]',
    up: '[[It’s: "new" – {a}, & b|the plan]]',
    list: ['[[It’s: "new" – {a}, & b]]', "[[Other]]"],
    same: "[[Other]]",
  });
  expect(await leads(ada, from)).toEqual([target.id, null]);
  const { bytes } = await markdownZip(ada);
  const written = new TextDecoder().decode(unzipSync(bytes)["From.md"]);
  const yaml = /^---\n([\s\S]*?)\n---\n/.exec(written)?.[1] ?? "";
  expect(parse(yaml)).toMatchObject((await now(from)) as object);
  expect(written).toContain("# about Ada\n");
  expect(written).toContain('\nsame: "[[Other]]"\n');
  await undo(ada, change);
  expect([await now(from), await leads(ada, from)]).toEqual([front_matter, [target.id, null]]);
  // A property would lead where a link of the text does.
  await rename(ada, target, "New");
  expect([await now(alone), await now(from)]).toEqual([
    front_matter,
    expect.objectContaining({ related: "[[New]]" }),
  ]);
});

test("links lead to the renamed document, though another one has the new title; a text with both stays as it is", async () => {
  const ada = await person();
  const [other, target] = [await note(ada, "New"), await note(ada, "Old")];
  const [one, both] = [await note(ada, "One", "[[Old]]"), await note(ada, "Two", "[[Old]] [[New]]")];
  await rename(ada, target, "New");
  expect([await textOf(ada, one), await textOf(ada, both)]).toEqual(["[[New]]", "[[Old]] [[New]]"]);
  expect([await leads(ada, one), await leads(ada, both)]).toEqual([[target.id], [target.id, other.id]]);
  await rename(ada, target, "a | b");
  expect(await textOf(ada, one)).toBe("[[New]]");
  expect(await leads(ada, one)).toEqual([target.id]);
});

test("an edit session that renames makes one version of each text, and one change", async () => {
  const ada = await person();
  const target = await note(ada, "Plan");
  const from = await note(ada, "From", "[[Plan]]");
  const headers = { "X-Sitting": "a-session" };
  await rename(ada, target, "Plan f", headers);
  await rename(ada, target, "Plan for", headers);
  const change = await rename(ada, target, "Plan for Rome", headers);
  expect(await textOf(ada, from)).toBe("[[Plan for Rome]]");
  expect([await versionsOf(ada, from), await versionsOf(ada, target)]).toEqual([[1], [1]]);
  expect(await undo(ada, change)).toMatchObject({ undone: 2, not_undone: 0 });
  expect(await textOf(ada, from)).toBe("[[Plan]]");
  expect(await leads(ada, from)).toEqual([target.id]);
});

test("of more than 50 documents no text is changed, nor one in the trash, and all links go on", async () => {
  const ada = await person();
  const target = await note(ada, "Plan");
  await bulk(
    ada,
    Array.from({ length: 51 }, (_, n) => ({
      operation: "create",
      title: `${n}`,
      content: prose("[[Plan]]"),
    })),
  );
  const from = await note(ada, "From", "[[Plan]]");
  await rename(ada, target, "Other");
  expect(await textOf(ada, from)).toBe("[[Plan]]");
  expect(await leads(ada, from)).toEqual([target.id]);
  const bob = await person();
  const theirs = await note(bob, "Plan");
  const gone = await note(bob, "Gone", "[[Plan]]");
  await remove(bob, gone);
  await rename(bob, theirs, "Other");
  await bob.ok(documents.restoreDocumentRoute, at(gone));
  expect([await textOf(bob, gone), await leads(bob, gone)]).toEqual(["[[Plan]]", [theirs.id]]);
});

test("a text that is changed at the same time keeps both changes", async () => {
  const ada = await person();
  const target = await note(ada, "Plan");
  const from = await note(ada, "From", "[[Plan]]");
  const append = () =>
    ada.ok(documents.editDocumentRoute, { ...at(from), json: { operation: "append", text: "more" } });
  await Promise.all([append(), rename(ada, target, "Other"), append(), update(ada, from, { tags: ["x"] })]);
  const text = String(await textOf(ada, from));
  expect([text.includes("[[Other]]"), text.split("more").length]).toEqual([true, 3]);
  expect(await leads(ada, from)).toEqual([target.id]);
});

type Way = (client: Client, target: { id: string }) => Promise<string | undefined>;
const changeOf = ({ headers }: { headers: Headers }) => headers.get("Change-Id") ?? undefined;

/** How a document comes to be called "Big plan" again, which it was at version 1. Each returns the id of the change. */
const WAYS: Record<string, Way> = {
  "a change": (ada, target) => rename(ada, target, "Big plan"),
  "a change that also moves it": async (ada, target) => {
    const folder_id = (await ada.ok(createFolderRoute, { json: { name: "Work" } })).id;
    const json = { title: "Big plan", folder_id };
    return changeOf(await ada.call(documents.updateDocumentRoute, { ...at(target), json }));
  },
  "several operations": async (ada, { id }) => {
    const operations = [
      { operation: "update", id, title: "Big plan" },
      { operation: "add_tags", id, tags: ["big"] },
      { operation: "create", title: "Else" },
    ];
    return changeOf(await ada.call(documents.bulkDocumentsRoute, { json: { operations } }));
  },
  "a tool": async (ada, { id }) => {
    await use(stateless(ada), "edit_document", {
      id: `doc:${id}`,
      operation: "set_fields",
      title: "Big plan",
    });
    return undefined;
  },
  "an earlier version": async (ada, { id }) => {
    const params = { document_id: id, version: "1" };
    return changeOf(await ada.call(documents.restoreVersionRoute, { params }));
  },
  "an undo": async (ada, { id }) => {
    const query = { kind: "document", record_id: id };
    const [entry] = (await ada.ok(listActivityRoute, { query })).items;
    return changeOf(await ada.call(undoActivityRoute, { json: { ids: [entry?.id] } }));
  },
  "an import that overwrites it": async (ada, { id }) => {
    const lines = (await (await ada.fetch("/api/export")).text()).split("\n").filter(Boolean);
    const line = lines.map((one) => JSON.parse(one)).find((one) => one.type === "document" && one.id === id);
    const body = fileOf([{ ...line, title: "Big plan" }]);
    const { status, text } = await send(ada, body, "?mode=overwrite");
    expect(status, text).toBe(200);
    return undefined;
  },
};

test.each(Object.entries(WAYS))("by %s, the texts that link to it get its title", async (_, way) => {
  const ada = await person();
  const target = await note(ada, "Big plan");
  await rename(ada, target, "Plan");
  const texts = ["See [[plan]] and [[Plan#Why|why]].", "[it](Plan.md)"];
  const [one, two] = [await note(ada, "One", texts[0]), await note(ada, "Two", texts[1])];
  const change = await way(ada, target);
  const now = async () => Promise.all([one, two].map((from) => textOf(ada, from)));
  expect((await read(ada, target)).title).toBe("Big plan");
  expect(await now()).toEqual(["See [[Big plan]] and [[Big plan#Why|why]].", "[it](Big%20plan.md)"]);
  for (const from of [one, two]) expect(new Set(await leads(ada, from))).toEqual(new Set([target.id]));
  if (change === undefined) return;
  await undo(ada, change);
  expect((await read(ada, target)).title).toBe("Plan");
  expect(await now()).toEqual(texts);
  for (const from of [one, two]) expect(await leads(ada, from)).toEqual([target.id]);
});

test("several documents renamed at once: texts that link to several, that are renamed or changed themselves, or deleted", async () => {
  const ada = await person();
  const [a, b] = [await note(ada, "A", "[[B]] [[A]]"), await note(ada, "B", "back to [[A]]")];
  const [from, gone] = [await note(ada, "From", "[[A]], [[B|b]]"), await note(ada, "Gone", "[[A]]")];
  const written = await note(ada, "Written", "[[A]]");
  const operations = [
    { operation: "update", id: a.id, title: "First" },
    { operation: "update", id: written.id, content: prose("still [[A]]") },
    { operation: "update", id: b.id, title: "Draft" },
    { operation: "update", id: b.id, title: "Second" },
    { operation: "delete", id: gone.id },
  ];
  const dry = await bulk(ada, operations, { dry_run: true });
  expect([dry.failed, await textOf(ada, from)]).toEqual([0, "[[A]], [[B|b]]"]);
  const answer = await ada.call(documents.bulkDocumentsRoute, { json: { operations } });
  const texts = () => Promise.all([a, b, from, written].map((one) => textOf(ada, one)));
  expect(await texts()).toEqual([
    "[[Second]] [[A]]",
    "back to [[First]]",
    "[[First]], [[Second|b]]",
    "still [[First]]",
  ]);
  expect(await Promise.all([a, b, from, written].map((one) => leads(ada, one)))).toEqual([
    [b.id, a.id],
    [a.id],
    [a.id, b.id],
    [a.id],
  ]);
  expect(await versionsOf(ada, b)).toEqual([1]);
  expect(await undo(ada, changeOf(answer) ?? "")).toMatchObject({ undone: 5, not_undone: 0 });
  expect(await texts()).toEqual(["[[B]] [[A]]", "back to [[A]]", "[[A]], [[B|b]]", "[[A]]"]);
});

test.each(["change_id", "ids"])(
  "undone in pages by %s, a text that the next page restores is not changed besides",
  async (by) => {
    const ada = await person();
    // Entries are in the order of the documents, and undone from the last one.
    const [from, target] = [await note(ada, "From", "[[Plan]]"), await note(ada, "Plan")];
    const made = await bulk(ada, Array(98).fill({ operation: "create", title: "Else" }));
    const more = await note(ada, "More", "[[Plan]]");
    const operations = [
      { operation: "update", id: from.id, title: "First" },
      { operation: "update", id: target.id, title: "Other" },
      ...made.results.map(({ id }) => ({ operation: "add_tags", id, tags: ["x"] })),
    ];
    const answer = await ada.call(documents.bulkDocumentsRoute, { json: { operations } });
    const change_id = changeOf(answer) ?? "";
    expect(await Promise.all([from, more].map((one) => textOf(ada, one)))).toEqual([
      "[[Other]]",
      "[[Other]]",
    ]);
    const json = by === "ids" ? { ids: [change_id] } : { change_id };
    const first = await ada.ok(undoActivityRoute, { json });
    expect(first).toMatchObject({ undone: 100, not_undone: 0, has_more: true });
    expect((await read(ada, target)).title).toBe("Plan");
    const rest = { ...json, before: first.next_before };
    expect(await ada.ok(undoActivityRoute, { json: rest })).toMatchObject({ undone: 1, has_more: false });
    expect(await Promise.all([from, more].map((one) => textOf(ada, one)))).toEqual(["[[Plan]]", "[[Plan]]"]);
    for (const one of [from, more]) expect(await leads(ada, one)).toEqual([target.id]);
  },
);

test("titles that change places, and renames in a circle, leave every link with its document", async () => {
  const ada = await person();
  const all = [await note(ada, "A"), await note(ada, "B"), await note(ada, "C")];
  const from = await note(ada, "From", "[[A]] [[B]] [[C]]");
  const single = await Promise.all(
    ["A", "B", "C"].map((title) => note(ada, `From ${title}`, `[[${title}]]`)),
  );
  const circle = (titles: string[]) =>
    bulk(
      ada,
      all.map(({ id }, n) => ({ operation: "update", id, title: titles[n] })),
    );
  for (const titles of [
    ["B", "A", "C"],
    ["C", "B", "A"],
    ["x", "y", "z"],
  ]) {
    await circle(titles);
    expect(await leads(ada, from)).toEqual(all.map(({ id }) => id));
    for (const [n, one] of single.entries()) expect(await leads(ada, one)).toEqual([all[n]?.id]);
  }
  expect(await Promise.all(single.map((one) => textOf(ada, one)))).toEqual(["[[x]]", "[[y]]", "[[z]]"]);
});

test("sixty renames at once: the text has the last title, and leads there", async () => {
  const ada = await person();
  const target = await note(ada, "Plan");
  const from = await note(ada, "From", "[[Plan]]");
  await Promise.all(Array.from({ length: 60 }, (_, n) => rename(ada, target, `Plan ${n}`)));
  const { title } = await read(ada, target);
  expect(await textOf(ada, from)).toBe(`[[${title}]]`);
  expect(await leads(ada, from)).toEqual([target.id]);
});
