import { beforeEach, expect, test, vi } from "vitest";
import { ReadDocument } from "../../src/contract/document.ts";
import { DocumentBulkAnswer } from "../../src/contract/document-bulk.ts";
import { setAccount } from "../src/api/current-account.ts";
import { type HeldBack, sendablePart } from "../src/features/things/held-changes.ts";
import { sendChanges } from "../src/features/things/send-changes.ts";
import { type DocumentChange, type PendingChange, pendingChanges } from "../src/state/pending-changes.ts";
import { ADA, answer, connect, listedDocument, type Sent, written } from "./kit/wire.ts";

// How changes that wait are sent. With a browser and the service it is in test/e2e/web-changes.test.ts.

connect();

const TAG: DocumentChange = { kind: "tag", tag: "x" };
const HOUR = 3_600_000;

const waits = (key: string, change: DocumentChange, ids: string[], more: Partial<PendingChange> = {}) => ({
  ...{ key, step: key, account: ADA.id, at: Date.now() + key.charCodeAt(0), change },
  ...{ documents: ids.map((id) => listedDocument(id)), isGuarded: false, ...more },
});

type Operations = { operations: { id: string; operation: string; expected_version?: number }[] };

/** All of them are done. */
const done = ({ body }: Sent) => {
  const { operations } = body as Operations;
  const results = operations.map((_, index) => ({ index, ok: true }));
  return {
    schema: DocumentBulkAnswer,
    body: { results, succeeded: results.length, failed: 0, dry_run: false },
  };
};

const refusal = (status: number, code: string) => ({
  ...{ schema: DocumentBulkAnswer, body: { detail: "Refused" }, status, headers: { "Error-Code": code } },
});

const keyOf = ({ headers }: Sent) => headers.get("Idempotency-Key");
const idsOf = ({ documents }: PendingChange) => documents.map(({ id }) => id);

beforeEach(() => {
  setAccount(ADA);
  return () => pendingChanges.write([], pendingChanges.get());
});

test("what the browser does not take waits all the same", async () => {
  await pendingChanges.write([waits("a", TAG, ["one"])]);
  expect((await pendingChanges.read()).map(({ key }) => key)).toEqual(["a"]);
  await pendingChanges.write([], pendingChanges.get());
  expect(await pendingChanges.read()).toEqual([]);
});

test("a fault of the service stops the changes of its documents, and no others", async () => {
  answer({
    "POST /api/documents/bulk": (sent) => (keyOf(sent) === "a" ? refusal(500, "internal") : done(sent)),
  });
  await pendingChanges.write([
    waits("a", TAG, ["one"]),
    waits("b", { kind: "untag", tag: "y" }, ["one", "two"]),
    waits("c", TAG, ["three"]),
  ]);
  await expect(sendChanges()).rejects.toMatchObject({ status: 500 });
  expect(pendingChanges.get().map(idsOf)).toEqual([["one"], ["one"]]);
});

test("a change that may have been done is asked for again under its key, with the body that it had", async () => {
  const change: DocumentChange = { kind: "rename", title: "new" };
  const isGuarded = ({ body }: Sent) => (body as Operations).operations[0]?.expected_version !== undefined;
  answer({ "POST /api/documents/bulk": (sent) => (isGuarded(sent) ? refusal(422, "key_used") : done(sent)) });
  const at = Date.now() - HOUR;
  await pendingChanges.write([waits("a", change, ["one"], { at, sent: at })]);
  await sendChanges();
  expect(written().map((sent) => [keyOf(sent), isGuarded(sent)])).toEqual([
    ["a", true],
    ["a", false],
  ]);
  expect(pendingChanges.get()).toEqual([]);
});

test("what was taken back is not done anew once the service has forgotten it", async () => {
  await pendingChanges.write([waits("a", TAG, ["one"], { isWithdrawn: true, sent: Date.now() - 24 * HOUR })]);
  await sendChanges();
  expect(written()).toEqual([]);
  expect(pendingChanges.get()).toEqual([]);
});

test("one document that has to wait does not hold the others of its part", async () => {
  const held: HeldBack = {
    ...{ drafts: new Set(["two", "three"]), unsaved: new Set(["three"]) },
    ...{ steps: new Set(), documents: new Set(["four"]) },
  };
  const all = waits("a", { kind: "trash" }, ["one", "two", "three", "four"]);
  await pendingChanges.write([all]);
  const part = await sendablePart(all, held);
  expect(part && [part.key, ...idsOf(part)]).toEqual(["a", "one"]);
  const [first, rest, refused] = pendingChanges.get();
  expect(first).toEqual(part);
  expect(rest && [idsOf(rest), rest.refused]).toEqual([["two", "four"], undefined]);
  expect(refused).toMatchObject({ key: "a:three", refused: expect.stringContaining("isn’t saved") });
  expect([...held.documents].sort()).toEqual(["four", "three", "two"]);
});

test("what the service refuses to restore is refused for its reason, and what is back already is done", async () => {
  const [full, back] = ["0193a000-0000-7000-8000-000000000001", "0193a000-0000-7000-8000-000000000002"];
  const found = (id: string, more: Partial<ReadDocument>) => () => ({
    schema: ReadDocument,
    body: { ...listedDocument(id), content: { format: "text", text: "" }, ...more },
  });
  answer({
    [`POST /api/documents/${full}/restore`]: () => refusal(403, "forbidden"),
    [`POST /api/documents/${back}/restore`]: () => refusal(404, "not_found"),
    [`GET /api/documents/${full}`]: found(full, { trashed_at: "2026-11-02T08:00:00.000Z" }),
    [`GET /api/documents/${back}`]: found(back, {}),
  });
  await pendingChanges.write([waits("a", { kind: "restore" }, [full, back])]);
  await sendChanges();
  expect(pendingChanges.get().map((one) => [...idsOf(one), one.refused])).toEqual([[full, "Refused"]]);
});

test("an answer that breaks off is none: what was sent waits", async () => {
  vi.stubGlobal("fetch", async () => new Response('{"results": ['));
  await pendingChanges.write([waits("a", TAG, ["one"])]);
  await expect(sendChanges()).rejects.toMatchObject({ status: 0 });
  expect(pendingChanges.get()).toMatchObject([{ key: "a", sent: Date.now() }]);
});
