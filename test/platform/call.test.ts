import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import type { BaseCtx } from "../../src/platform/core/ctx.ts";
import type { BatchItem } from "../../src/platform/core/statement.ts";
import { assertInBatch, catchRefusal, sendBatch } from "../../src/platform/db/call.ts";
import { openBaseCtx } from "../../src/platform/db/session.ts";
import { users } from "../../src/platform/db/tables.ts";
import { takeWrongEffects } from "../kit/effects.ts";

// What every store relies on: an `assertInBatch` that fails undoes its whole batch, wherever in the batch it is.

let ctx: BaseCtx;

beforeEach(async () => {
  ctx = openBaseCtx(env.DB);
  await sendBatch(ctx, [
    ctx.db.run(sql`CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)`),
    ctx.db.run(sql`CREATE TABLE counts (total INTEGER NOT NULL)`),
    ctx.db.run(sql`CREATE VIRTUAL TABLE words USING fts5(text, content = '', contentless_delete = 1)`),
    ctx.db.run(sql`CREATE TRIGGER notes_counted AFTER INSERT ON notes
      BEGIN UPDATE counts SET total = total + 1; END`),
    ctx.db.run(sql`INSERT INTO counts VALUES (0)`),
    ctx.db.run(sql`INSERT INTO notes VALUES (1, 'first')`),
    ctx.db.run(sql`INSERT INTO words (rowid, text) VALUES (1, 'first')`),
  ]);
});

/** Rows, full-text entries and the trigger's counts. */
const state = () =>
  ctx.db.all(sql`SELECT (SELECT group_concat(text) FROM notes) AS notes, (SELECT total FROM counts) AS total,
    (SELECT count(*) FROM words WHERE words MATCH 'first') AS first,
    (SELECT count(*) FROM words WHERE words MATCH 'second') AS second`);

const writes = (): BatchItem[] => [
  ctx.db.run(sql`INSERT INTO notes VALUES (2, 'second')`),
  ctx.db.run(sql`DELETE FROM words WHERE rowid = 1`),
  ctx.db.run(sql`INSERT INTO words (rowid, text) VALUES (2, 'second')`),
  ctx.db.run(sql`UPDATE notes SET text = 'changed' WHERE id = 1`),
];

test.for([0, 1, 2, 3, 4])(
  "an assertion that fails at place %i undoes rows, words and triggers",
  async (place) => {
    const refused = assertInBatch(ctx, sql`(SELECT count(*) FROM notes) > 100`, "stale");
    await expect(sendBatch(ctx, writes().toSpliced(place, 0, refused))).rejects.toMatchObject({
      status: 412,
    });
    expect(await state()).toEqual([{ notes: "first", total: 1, first: 1, second: 0 }]);
  },
);

test("an assertion that holds does not affect its batch", async () => {
  const holds = assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM notes WHERE id = 1)`, "stale");
  await sendBatch(ctx, [holds, ...writes()]);
  expect(await state()).toEqual([{ notes: "changed,second", total: 2, first: 0, second: 1 }]);
});

test("the word of a refusal can be expected; any other refusal, and every error, is thrown", async () => {
  const stale = () => sendBatch(ctx, [assertInBatch(ctx, sql`false`, "stale"), ...writes()]);
  expect(await catchRefusal(stale(), "stale")).toEqual({ refusal: "stale" });
  await expect(catchRefusal(stale(), "not-found")).rejects.toMatchObject({ status: 412 });
  const broken = sendBatch(ctx, [ctx.db.all(sql`SELECT nowhere FROM notes`)]);
  await expect(catchRefusal(broken, "stale")).rejects.toThrow("no such column");
  expect(await catchRefusal(sendBatch(ctx, writes()), "stale")).toEqual({ answer: undefined });
});

test("the first assertion that fails decides, even if its condition is NULL", async () => {
  const both = [assertInBatch(ctx, sql`NULL`, "not-found"), assertInBatch(ctx, sql`false`, "stale")];
  await expect(sendBatch(ctx, both)).rejects.toMatchObject({ status: 404 });
  const single = { status: 404, message: "folder_id: not found" };
  await expect(assertInBatch(ctx, sql`false`, "folder-not-found")).rejects.toMatchObject(single);
});

// The error is recognized by its text, so this test pins the text. D1's HTTP API returns the same text as
// {"success": false, "errors": [{"code": 7500, "message": "bad JSON path: 'stale': SQLITE_ERROR"}]}.
test("D1 quotes the word in the error", async () => {
  const raw = env.DB.prepare("SELECT json_extract('{}', 'stale')").all();
  await expect(raw).rejects.toThrow("D1_ERROR: bad JSON path: 'stale'");
});

test("a path chosen by a caller is not taken for a word", async () => {
  const path = "$.['signed-out'";
  const call = sendBatch(ctx, [ctx.db.all(sql`SELECT json_extract('{}', ${path})`)]);
  await expect(call).rejects.not.toHaveProperty("status");
});

test("a statement that is made by the wrong method is found", async () => {
  await ctx.db.all(sql`DELETE FROM notes`);
  await ctx.db.run(sql`SELECT 1`);
  const right = [ctx.db.all(sql`SELECT 1`), ctx.db.run(sql`DELETE FROM notes`)];
  await ctx.db.batch([...right, ctx.db.select().from(users)]);
  expect(takeWrongEffects()).toEqual(["none: DELETE FROM notes", "any: SELECT 1"]);
});
