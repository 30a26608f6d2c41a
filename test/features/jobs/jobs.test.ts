import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { deleteMeRoute } from "../../../src/features/auth/routes.ts";
import { listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import {
  createFolderRoute,
  deleteFolderRoute,
  listFoldersRoute,
} from "../../../src/features/folders/routes.ts";
import { deleteImportRoute } from "../../../src/features/import/routes.ts";
import * as jobs from "../../../src/features/jobs/routes.ts";
import { deleteTagRoute, listTagsRoute, renameTagRoute } from "../../../src/features/tags/routes.ts";
import { purge } from "../../../src/purge.ts";
import { type Client, PASSWORD, person } from "../../kit/client.ts";
import { ClientOf } from "../../kit/database.ts";
import { accountOf, sendNow, workOf } from "../../kit/hooks.ts";
import {
  begin,
  block,
  countOf,
  importing,
  inShortSteps,
  inUsualSteps,
  jobIn,
  MANY,
  owned,
  STORIES,
  type Story,
  take,
  untilDone,
  withDocuments,
} from "../../kit/jobs.ts";
import { keyOf } from "../../kit/scopes.ts";
import { ADA, move } from "../../kit/shard-migration.ts";
import { openHomes, personIn } from "../../kit/shards.ts";
import { watchedDatabase } from "../../kit/transactions.ts";

inShortSteps();

async function withTagged(count: number): Promise<Client> {
  const ada = await person();
  await withDocuments(ada, count, { tags: ["todo"] });
  return ada;
}

const renaming = (from: string, to: string) => ({ params: { name: from }, json: { name: to } });
const RENAMING = renaming("todo", "later");
const at = ({ id }: { id: string }) => ({ params: { job_id: id } });

/** Begins to rename the tag, without a step of it. */
const beginRenaming = (client: Client, what = RENAMING) =>
  begin(client, { kind: "tag", prepare: async () => () => client.call(renameTagRoute, what) });

describe("a job that is cancelled halfway", () => {
  const TABLES = ["documents", "document_tags", "memories", "folders", "activity"];

  /** Whatever work could change. */
  const rowsOf = async (client: Client) => {
    const versions = await owned(client, "SELECT sum(version) AS n FROM documents WHERE owner = ?");
    return [versions, await Promise.all(TABLES.map((table) => countOf(client, `${table} WHERE owner = ?`)))];
  };

  test.each(Object.entries(STORIES))("stays as it is: %s", async (_, story) => {
    const ada = await person();
    const job = await begin(ada, story);
    for (let done = 0; done === 0; { done } = await ada.ok(jobs.getJobRoute, at(job)))
      await (await take(ada))?.goOn();
    const rows = await rowsOf(ada);
    const taken = await take(ada);
    expect((await ada.call(jobs.cancelJobRoute, at(job))).status).toBe(204);
    // The process that was at it does nothing any more.
    await taken?.goOn();
    await sendNow(ada);
    expect(await rowsOf(ada)).toEqual(rows);
    const { done, state, result } = await ada.ok(jobs.getJobRoute, at(job));
    expect([done > 0, done < story.total, state, result]).toEqual([true, true, "cancelled", null]);
    expect(await countOf(ada, "imports WHERE owner = ?")).toBe(0);
    expect(await countOf(ada, "import_pieces WHERE owner = ?")).toBe(0);
    expect(await ada.refusal(jobs.cancelJobRoute, at(job))).toEqual({
      status: 409,
      detail: "The job has already ended (cancelled) and cannot be cancelled",
    });
  });

  test("can be asked for again: a file with the same key", async () => {
    const ada = await person();
    const file = importing(ada, "k");
    const job = await begin(ada, { kind: "import", prepare: async () => file });
    await ada.call(jobs.cancelJobRoute, at(job));
    expect((await file()).status).toBe(202);
    await untilDone(ada);
    expect(await ada.ok(jobs.getJobRoute, at(job))).toMatchObject({ state: "done", total: 2 * MANY + 4 });
    expect(await countOf(ada, "documents WHERE owner = ?")).toBe(MANY);
  });
});

describe("the same work", () => {
  const ONE: string[] = Object.keys(STORIES).filter((name) => !/trash is|import/.test(name));

  test.each(ONE)("that is asked for twice at once is one job: %s", async (name) => {
    const ada = await person();
    const ask = await (STORIES[name] as Story).prepare(ada);
    const [first, second] = await Promise.all([ask(), ask()]);
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(jobIn(first).id).toBe(jobIn(second).id);
    await untilDone(ada);
    expect((await ada.ok(jobs.listJobsRoute)).total).toBe(1);
  });

  test("that joins a request which completes it can read its end", async () => {
    inUsualSteps();
    const ada = await withTagged(3);
    let joined: { status: number; text: string } | undefined;
    const { db } = watchedDatabase(async ({ statements }) => {
      if (joined || !statements.some((query) => query.startsWith("UPDATE later SET done"))) return;
      joined = await ada.call(renameTagRoute, RENAMING);
    });
    const first = await new ClientOf(ada, db).call(renameTagRoute, RENAMING);
    expect([first.status, joined?.status]).toEqual([200, 202]);
    const ended = await ada.ok(jobs.getJobRoute, at(jobIn(joined ?? first)));
    expect(ended).toMatchObject({ state: "done", done: 3, result: first.body });
  });

  test("for another end is refused while it is under way, and the refusal names it", async () => {
    const ada = await withTagged(MANY);
    const job = await beginRenaming(ada);
    const detail = `Another job is running: Rename the tag "todo" to "later". Wait until it ends, or cancel it: DELETE /api/jobs/${job.id}`;
    for (const name of ["todo", "TODO"])
      expect(await ada.refusal(renameTagRoute, renaming(name, "other"))).toEqual({ status: 409, detail });
    expect(await ada.refusal(deleteTagRoute, { params: { name: "todo" } })).toEqual({ status: 409, detail });
    expect((await ada.call(renameTagRoute, RENAMING)).status).toBe(202);
  });
});

describe("work of a kind that was asked for later comes later", () => {
  test("while the first one is held by a process, or waits for another attempt", async () => {
    const ada = await withTagged(MANY);
    await withDocuments(ada, 10, { tags: ["later"] });
    await beginRenaming(ada);
    const held = await take(ada);
    expect((await ada.call(renameTagRoute, renaming("later", "last"))).status).toBe(202);
    await sendNow(ada);
    await sendNow(ada);
    const { items } = await ada.ok(listTagsRoute);
    expect(items).toEqual([
      { name: "later", document_count: 10 },
      { name: "todo", document_count: MANY },
    ]);
    await held?.goOn();
    await untilDone(ada);
    expect((await ada.ok(listTagsRoute)).items).toEqual([{ name: "last", document_count: MANY + 10 }]);
  });

  test("goes on at once when the first one is cancelled", async () => {
    const ada = await withTagged(MANY);
    await withDocuments(ada, MANY, { tags: ["x"] });
    const first = await beginRenaming(ada);
    await take(ada);
    const second = jobIn(await ada.call(renameTagRoute, renaming("x", "y")));
    await ada.call(jobs.cancelJobRoute, at(first));
    const ended = await ada.ok(jobs.getJobRoute, { ...at(second), query: { wait: 30 } });
    expect(ended.state).toBe("done");
  });
});

test("another account's job is not found, like one that never was; a malformed id is refused", async () => {
  const [ada, bob] = [await withTagged(MANY), await person()];
  const job = await beginRenaming(ada);
  for (const route of [jobs.getJobRoute, jobs.cancelJobRoute]) {
    const foreign = await bob.call(route, at(job));
    const unknown = await bob.call(route, at({ id: crypto.randomUUID() }));
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    expect((await bob.call(route, at({ id: "x" }))).status).toBe(422);
  }
  expect((await bob.ok(jobs.listJobsRoute)).total).toBe(0);
  expect((await ada.ok(jobs.getJobRoute, at(job))).state).toBe("running");
});

test("a key reads jobs and cancels them with both scopes of reading and of writing", async () => {
  const ada = await withTagged(MANY);
  const job = await beginRenaming(ada);
  for (const [scopes, ...expected] of [
    [["docs:read", "docs:write"], 403, 403, 403],
    [["docs:read", "memory:read"], 200, 200, 403],
    [["docs:write", "memory:write"], 403, 403, 204],
  ] as const) {
    const key = await keyOf(ada, scopes);
    const answers = [await key.call(jobs.listJobsRoute), await key.call(jobs.getJobRoute, at(job))];
    answers.push(await key.call(jobs.cancelJobRoute, at(job)));
    expect(answers.map(({ status }) => status)).toEqual(expected);
  }
});

describe("Prefer", () => {
  const rename = (client: Client, prefer: string) =>
    client.call(renameTagRoute, { ...RENAMING, headers: { Prefer: prefer } });

  test.each(["wait=25", 'foo, Wait = "25"; x=1'])("%s is answered at the end", async (prefer) => {
    const answer = await rename(await withTagged(MANY), prefer);
    expect([answer.status, answer.body]).toEqual([200, { name: "later", document_count: MANY }]);
  });

  test("respond-async is answered before short work is done", async () => {
    const ada = await withTagged(3);
    const answer = await rename(ada, "respond-async");
    expect(answer.status).toBe(202);
    const ended = await ada.ok(jobs.getJobRoute, { ...at(jobIn(answer)), query: { wait: 30 } });
    expect(ended).toMatchObject({ state: "done", done: 3, total: 3 });
  });

  test("that means nothing is ignored", async () => {
    inUsualSteps();
    const long = ["wait=99999999999", "respond-asynchronously"];
    for (const prefer of ["", "wait", "wait=", "wait=-1", "wait=1.5", "wait=soon", "=;,", ...long])
      expect((await rename(await withTagged(3), prefer)).status, prefer).toBe(200);
  });

  test("a job is not waited for longer than was asked for", async () => {
    const ada = await withTagged(MANY);
    const job = await beginRenaming(ada);
    const now = await ada.ok(jobs.getJobRoute, { ...at(job), query: { wait: 1 } });
    expect(now).toMatchObject({ state: "running", done: 0 });
    expect((await ada.call(jobs.getJobRoute, { ...at(job), query: { wait: 31 } })).status).toBe(422);
  });
});

describe("a job ends when what it works on is gone", () => {
  test("a folder that is deleted with the one that contains it", async () => {
    const ada = await person();
    const top = await ada.ok(createFolderRoute, { json: { name: "Top" } });
    const { id } = await ada.ok(createFolderRoute, { json: { name: "Inner", parent_id: top.id } });
    await withDocuments(ada, MANY, { folder_id: id });
    const query = { on_content: "move_up" } as const;
    const inner = await begin(ada, {
      kind: "folder",
      prepare: async () => () => ada.call(deleteFolderRoute, { params: { folder_id: id }, query }),
    });
    await owned(ada, "UPDATE documents SET folder_id = NULL WHERE owner = ?");
    await owned(ada, `DELETE FROM folders WHERE owner = ? AND id = '${id}'`);
    await untilDone(ada);
    expect((await ada.ok(jobs.getJobRoute, at(inner))).state).toBe("done");
    expect((await ada.ok(listFoldersRoute)).items).toMatchObject([{ id: top.id }]);
  });

  test("an import that is deleted", async () => {
    const ada = await person();
    const job = await begin(ada, { kind: "import", prepare: async () => importing(ada, "k") });
    expect((await ada.call(deleteImportRoute, { params: { import_id: job.id } })).status).toBe(204);
    await sendNow(ada);
    expect((await ada.ok(jobs.getJobRoute, at(job))).state).toBe("cancelled");
    expect(await countOf(ada, "documents WHERE owner = ?")).toBe(0);
  });

  test("an account that is closed", async () => {
    const ada = await withTagged(MANY);
    await beginRenaming(ada);
    const held = await take(ada);
    expect((await ada.call(deleteMeRoute, { json: { password: PASSWORD } })).status).toBe(204);
    await held?.goOn();
    for (let turn = 0; turn < 30; turn++) await sendNow(ada);
    expect(await countOf(ada, "later WHERE owner = ?")).toBe(0);
    expect(await countOf(ada, "users WHERE number = ?")).toBe(0);
  });
});

test("a job for which the plan has no room fails with the words, and what it has done stays", async () => {
  const ada = await withTagged(MANY);
  const long = "x".repeat(50);
  const job = await beginRenaming(ada, renaming("todo", long));
  await (await take(ada))?.goOn();
  const settings = env as unknown as { PLAN_LIMITS: string };
  const usual = settings.PLAN_LIMITS;
  settings.PLAN_LIMITS = JSON.stringify({ free: { bytes: 100 } });
  await untilDone(ada).finally(() => {
    settings.PLAN_LIMITS = usual;
  });
  const failed = await ada.ok(jobs.getJobRoute, at(job));
  expect(failed).toMatchObject({ state: "failed", done: 20, result: null });
  expect(failed.detail).toMatch(/plan/);
  expect((await ada.ok(listTagsRoute)).items).toMatchObject([
    { document_count: 100 },
    { document_count: 20 },
  ]);
});

describe("the list of jobs", () => {
  const ended = (client: Client, count: number, { state = "done", days = 1 } = {}) =>
    owned(
      client,
      `WITH RECURSIVE each(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ${count})
       INSERT INTO later (owner, kind, key, id, state, title, payload, actor, created_at, updated_at)
       SELECT ?, 'tag', id, id, '${state}', '${state} ' || n, '{}', '{}', at, at FROM (
         SELECT n, lower(hex(randomblob(4))) || '-0000-7000-8000-' || lower(hex(randomblob(6))) AS id,
           strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-${days} day', '+' || n || ' seconds') AS at FROM each)`,
    );

  test("has the last fifty, the newest first, in pages and by state", async () => {
    const ada = await person();
    await ended(ada, 55);
    await ended(ada, 3, { state: "failed", days: 2 });
    const list = async (query: object) => {
      const { items, total } = await ada.ok(jobs.listJobsRoute, { query: { ...query } });
      return [items.map(({ title }) => title), total];
    };
    expect(await list({ limit: 2 })).toEqual([["done 55", "done 54"], 50]);
    expect(await list({ limit: 100, offset: 48 })).toEqual([["done 7", "done 6"], 50]);
    expect(await list({ limit: 10, offset: 50 })).toEqual([[], 50]);
    expect(await list({ state: "failed" })).toEqual([["failed 3", "failed 2", "failed 1"], 3]);
    expect(await list({ state: "running" })).toEqual([[], 0]);
    expect((await ada.call(jobs.listJobsRoute, { query: { state: "waiting" } })).status).toBe(422);
  });

  test("forgets after a week what has ended, and nothing that has not", async () => {
    const ada = await person();
    await ended(ada, 2, { days: 8 });
    await ended(ada, 3, { days: 6 });
    await block(ada, "tag");
    await purge(env as unknown as Env);
    const { items } = await ada.ok(jobs.listJobsRoute);
    expect(items.map(({ state }) => state)).toEqual(["done", "done", "done", "running"]);
  });
});

test("a job goes on in the shard to which its account is moved", async () => {
  await openHomes();
  const ada = await personIn(2, ADA);
  await withDocuments(ada, MANY, { tags: ["todo"] });
  const old = accountOf(ada);
  const job = await beginRenaming(ada);
  await (await take(ada))?.goOn();
  await move(ADA, 3);
  await workOf(old);
  const done = await ada.ok(jobs.getJobRoute, { ...at(job), query: { wait: 30 } });
  expect(done).toMatchObject({ state: "done", done: MANY, result: { name: "later", document_count: MANY } });
  expect((await ada.ok(listDocumentsRoute, { query: { tag: "later" } })).total).toBe(MANY);
});
