import { expect, test } from "vitest";
import { undoActivityRoute } from "../../../src/features/activity/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { at, bulk, create, prose, read, remove, textOf, update, versionsOf } from "../../kit/documents.ts";

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
