import { beforeEach, expect, test } from "vitest";
import { DocumentBulkAnswer } from "../../src/contract/document-bulk.ts";
import { workFor } from "../src/api/holder.ts";
import { type Held, partToSend } from "../src/features/things/held-changes.ts";
import { sendChanges } from "../src/features/things/send-changes.ts";
import {
  type Change,
  type Changeable,
  changesNow,
  keepChanges,
  readChanges,
  type WaitingChange,
} from "../src/state/waiting-changes.ts";
import { ADA, answer, connect, type Sent, written } from "./kit/wire.ts";

// How changes that wait are sent. With a browser and the service it is in test/e2e/web-changes.test.ts.

connect();

const item = (id: string): Changeable => ({
  ...{ id, title: id, tags: [], folder_id: null, version: 1, source_type: "web" },
  ...{ created_at: "2026-11-01T08:00:00.000Z", updated_at: "2026-11-01T08:00:00.000Z" },
});

const TAG: Change = { kind: "tag", tag: "x" };
const HOUR = 3_600_000;

const waits = (key: string, change: Change, ids: string[], more: Partial<WaitingChange> = {}) => ({
  ...{ key, step: key, account: ADA.id, at: Date.now() + key.charCodeAt(0), change },
  ...{ documents: ids.map(item), isGuarded: false, ...more },
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
const idsOf = ({ documents }: WaitingChange) => documents.map(({ id }) => id);

beforeEach(() => {
  workFor(ADA);
  return () => keepChanges([], changesNow());
});

test("what the browser does not take waits all the same", async () => {
  await keepChanges([waits("a", TAG, ["one"])]);
  expect((await readChanges()).map(({ key }) => key)).toEqual(["a"]);
  await keepChanges([], changesNow());
  expect(await readChanges()).toEqual([]);
});

test("a fault of the service stops the changes of its documents, and no others", async () => {
  answer({
    "POST /api/documents/bulk": (sent) => (keyOf(sent) === "a" ? refusal(500, "internal") : done(sent)),
  });
  await keepChanges([
    waits("a", TAG, ["one"]),
    waits("b", { kind: "untag", tag: "y" }, ["one", "two"]),
    waits("c", TAG, ["three"]),
  ]);
  await expect(sendChanges()).rejects.toMatchObject({ status: 500 });
  expect(changesNow().map(idsOf)).toEqual([["one"], ["one"]]);
});

test("a change that may have been done is asked for again under its key, with the body that it had", async () => {
  const change: Change = { kind: "rename", title: "new" };
  const isGuarded = ({ body }: Sent) => (body as Operations).operations[0]?.expected_version !== undefined;
  answer({
    "POST /api/documents/bulk": (sent) => (isGuarded(sent) ? refusal(422, "key_used") : done(sent)),
  });
  const at = Date.now() - HOUR;
  await keepChanges([waits("a", change, ["one"], { at, sent: at })]);
  await sendChanges();
  expect(written().map((sent) => [keyOf(sent), isGuarded(sent)])).toEqual([
    ["a", true],
    ["a", false],
  ]);
  expect(changesNow()).toEqual([]);
});

test("what was taken back is not done anew once the service has forgotten it", async () => {
  await keepChanges([waits("a", TAG, ["one"], { isWithdrawn: true, sent: Date.now() - 24 * HOUR })]);
  await sendChanges();
  expect(written()).toEqual([]);
  expect(changesNow()).toEqual([]);
});

test("one document that has to wait does not hold the others of its part", async () => {
  const held: Held = {
    ...{ drafts: new Set(["two", "three"]), unsaved: new Set(["three"]) },
    ...{ steps: new Set(), documents: new Set(["four"]) },
  };
  const all = waits("a", { kind: "trash" }, ["one", "two", "three", "four"]);
  await keepChanges([all]);
  const part = await partToSend(all, held);
  expect(part && [part.key, ...idsOf(part)]).toEqual(["a", "one"]);
  const [first, rest, refused] = changesNow();
  expect(first).toEqual(part);
  expect(rest && [idsOf(rest), rest.refused]).toEqual([["two", "four"], undefined]);
  expect(refused).toMatchObject({ key: "a:three", refused: expect.stringContaining("is not saved") });
  expect([...held.documents].sort()).toEqual(["four", "three", "two"]);
});
