import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect } from "vitest";
import { Job, type JobKind } from "../../src/contract/jobs.ts";
import type { Env } from "../../src/env.ts";
import { bulkDocumentsRoute, deleteDocumentRoute } from "../../src/features/documents/routes.ts";
import { createFolderRoute, deleteFolderRoute } from "../../src/features/folders/routes.ts";
import { readDueChores } from "../../src/features/jobs/chores.ts";
import { JOB_DEFINITIONS } from "../../src/features/jobs/kinds.ts";
import { listJobsRoute } from "../../src/features/jobs/routes.ts";
import { renameProjectRoute } from "../../src/features/projects/routes.ts";
import { deleteTagRoute, renameTagRoute } from "../../src/features/tags/routes.ts";
import { lookRoute } from "../../src/features/tidy/routes.ts";
import { emptyTrashRoute } from "../../src/features/trash/routes.ts";
import { ctxFor } from "../../src/platform/core/ctx.ts";
import { AppError } from "../../src/platform/core/errors.ts";
import { continueJob } from "../../src/platform/jobs/run.ts";
import { leaseDueJobs } from "../../src/platform/jobs/store.ts";
import { openShard } from "../../src/platform/shards/router.ts";
import type { Client } from "./client.ts";
import { accountOf, databaseOfClient, objectOfClient, sendNow } from "./hooks.ts";
import { fileOf, LINES, memory } from "./import-lines.ts";
import { prepare } from "./memories.ts";

// Work that takes longer than a request: some of each kind, and how it is killed.

const settings = env as unknown as { D1_CALLS: string };

const usual = settings.D1_CALLS;

/** In this test, a step is as long as anywhere. */
export function inUsualSteps(): void {
  settings.D1_CALLS = usual;
}

/** In the tests of a file, a step of long work ends after one piece. */
export function inShortSteps(): void {
  beforeEach(() => {
    settings.D1_CALLS = "1";
  });
  afterEach(inUsualSteps);
}

/** More than any kind does in two pieces. */
export const MANY = 120;

/** Creates documents, and returns their ids. */
export async function withDocuments(client: Client, count: number, fields: object): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < count; from += 100) {
    const operations = Array.from({ length: Math.min(100, count - from) }, (_, n) => ({
      ...{ operation: "create", title: `Note ${from + n}`, content: { text: "walrus" }, ...fields },
    }));
    const { results } = await client.ok(bulkDocumentsRoute, { json: { operations } });
    ids.push(...results.flatMap(({ id }) => (typeof id === "string" ? [id] : [])));
  }
  return ids;
}

export const owned = async (client: Client, query: string): Promise<Record<string, unknown>[]> => {
  const statement = databaseOfClient(client).prepare(query).bind(accountOf(client).owner);
  return (await statement.all<Record<string, unknown>>()).results;
};

/** The number that a query of an account's rows (`owner = ?`) counts. */
export const countOf = async (client: Client, from: string): Promise<number> =>
  Number((await owned(client, `SELECT count(*) AS n FROM ${from}`))[0]?.n);

export const countWaiting = (client: Client) =>
  countOf(client, "later WHERE owner = ? AND state = 'waiting'");

/** Lets the time pass for which work is held, or waits for its next attempt. */
export const letItBeDue = (client: Client) =>
  owned(client, "UPDATE later SET due_at = '2020-01-01T00:00:00.000Z' WHERE owner = ? AND state = 'waiting'");

/** Runs all jobs of an account until none is waiting. */
export async function untilDone(client: Client): Promise<void> {
  for (let turn = 0; (await countWaiting(client)) > 0; turn++) {
    if (turn > 200) throw new Error("It does not end");
    await letItBeDue(client);
    await sendNow(client);
  }
}

export const jobIn = ({ text }: { text: string }): Job => Job.parse(JSON.parse(text));

/** Some work of a kind that does not fit into its request. */
export type Story = {
  kind: JobKind;
  /** Makes what it works on, and returns the request that asks for it. */
  prepare: (client: Client) => Promise<() => Promise<{ status: number; text: string }>>;
  /** How many it works on. */
  total: number;
  /** What must be counted at the end, by what is counted. */
  end: Record<string, number>;
};

const ONCE_CHANGED = "documents WHERE owner = ? AND version = 2";
const VERSIONS = "document_versions WHERE owner = ?";
const ENTRIES = (verb: string) => `activity WHERE owner = ? AND kind = 'document' AND verb = '${verb}'`;

async function folderOf(client: Client): Promise<string> {
  const top = await client.ok(createFolderRoute, { json: { name: "Top" } });
  const { id } = await client.ok(createFolderRoute, { json: { name: "Inner", parent_id: top.id } });
  const ids = await withDocuments(client, MANY, { folder_id: id });
  for (const document_id of ids.slice(0, 2))
    await client.call(deleteDocumentRoute, { params: { document_id } });
  return id;
}

/** What was moved to the trash then is not yet deleted by itself. */
const yesterday = () => new Date(Date.now() - 86_400_000).toISOString();

const trashed = async (client: Client) => {
  await withDocuments(client, MANY, {});
  await owned(client, `UPDATE documents SET trashed_at = '${yesterday()}' WHERE owner = ?`);
};

/** A file that takes several pieces, and as many steps of each. */
export function exampleFile(): string {
  const line = (n: number) => ({
    ...{ ...LINES.document, id: `01936b1e-7c3a-7f10-9a53-${String(n).padStart(12, "0")}` },
    ...{
      folder_id: null,
      version: 1,
      content: { format: "markdown", text: `walrus ${"lorem ".repeat(500)}` },
    },
  });
  const lines = Array.from({ length: MANY }, (_, n) => line(n + 1));
  const records = Array.from({ length: MANY }, (_, n) => memory(n + 1, { project: "sea" }));
  return fileOf([LINES.settings, ...lines, ...records]);
}

export const importing = (client: Client, key: string) => async () => {
  const headers = { "Content-Type": "application/x-ndjson", "Idempotency-Key": key };
  const answer = await client.fetch("/api/import", { method: "POST", headers, body: exampleFile() });
  return { status: answer.status, text: await answer.text() };
};

export const STORIES: Record<string, Story> = {
  "a tag is renamed": {
    kind: "tag",
    prepare: async (client) => {
      await withDocuments(client, MANY, { tags: ["todo", "x"] });
      return () => client.call(renameTagRoute, { params: { name: "todo" }, json: { name: "later" } });
    },
    total: MANY,
    end: {
      "document_tags WHERE owner = ? AND tag = 'todo'": 0,
      "document_tags WHERE owner = ? AND tag = 'later'": MANY,
      'documents WHERE owner = ? AND tags = \'["later","x"]\'': MANY,
      [ONCE_CHANGED]: MANY,
      [VERSIONS]: MANY,
      [ENTRIES("changed")]: MANY,
    },
  },
  "a tag is removed": {
    kind: "tag",
    prepare: async (client) => {
      await withDocuments(client, MANY, { tags: ["todo", "x"] });
      return () => client.call(deleteTagRoute, { params: { name: "todo" } });
    },
    total: MANY,
    end: {
      "document_tags WHERE owner = ? AND tag = 'todo'": 0,
      "document_tags WHERE owner = ? AND tag = 'x'": MANY,
      [ONCE_CHANGED]: MANY,
      [VERSIONS]: MANY,
      [ENTRIES("changed")]: MANY,
    },
  },
  "a project is renamed, in the trash too": {
    kind: "project",
    prepare: async (client) => {
      const rows = Array.from({ length: MANY + 60 }, (_, n) => ({
        ...{ topic: `Topic ${n}`, project: "sea", created_at: "2026-01-01T00:00:00.000Z" },
        ...{ trashed_at: n < 60 ? yesterday() : undefined },
      }));
      for (let from = 0; from < rows.length; from += 60)
        await prepare(accountOf(client).owner, rows.slice(from, from + 60));
      return () => client.call(renameProjectRoute, { params: { name: "sea" }, json: { name: "ocean" } });
    },
    total: MANY + 60,
    end: {
      "memories WHERE owner = ? AND project = 'sea'": 0,
      "memories WHERE owner = ? AND project = 'ocean' AND version = 2": MANY + 60,
      "memory_events WHERE owner = ? AND event = 'updated'": MANY + 60,
      "activity WHERE owner = ? AND kind = 'memory' AND verb = 'changed'": MANY + 60,
    },
  },
  "a folder is deleted, and its content moves up": {
    kind: "folder",
    prepare: async (client) => {
      const folder_id = await folderOf(client);
      return () =>
        client.call(deleteFolderRoute, { params: { folder_id }, query: { on_content: "move_up" } });
    },
    total: MANY,
    end: {
      "folders WHERE owner = ?": 1,
      "documents WHERE owner = ? AND folder_id IS NOT NULL AND trashed_at IS NULL": MANY - 2,
      [ONCE_CHANGED]: MANY,
      [VERSIONS]: MANY,
      [ENTRIES("moved")]: MANY - 2,
      "activity WHERE owner = ? AND kind = 'folder' AND verb = 'deleted'": 1,
    },
  },
  "a folder is deleted with its content": {
    kind: "folder",
    prepare: async (client) => {
      const folder_id = await folderOf(client);
      return () => client.call(deleteFolderRoute, { params: { folder_id }, query: { on_content: "trash" } });
    },
    total: MANY,
    end: {
      "folders WHERE owner = ?": 1,
      "documents WHERE owner = ? AND folder_id IS NULL AND trashed_at IS NOT NULL": MANY,
      "search_entries WHERE owner = ?": 0,
      [ONCE_CHANGED]: MANY,
      [VERSIONS]: MANY,
      [ENTRIES("deleted")]: MANY,
      "activity WHERE owner = ? AND kind = 'folder' AND verb = 'deleted'": 1,
    },
  },
  "the trash is emptied": {
    kind: "trash",
    prepare: async (client) => {
      await trashed(client);
      await withDocuments(client, 3, {});
      return () => client.call(emptyTrashRoute);
    },
    total: MANY,
    end: {
      "documents WHERE owner = ?": 3,
      "activity WHERE owner = ? AND kind = 'document' AND title IS NOT NULL": 3,
    },
  },
  "everything is looked through": {
    kind: "tidy",
    prepare: async (client) => {
      await withDocuments(client, MANY, {});
      const created_at = "2026-01-01T00:00:00.000Z";
      await prepare(
        accountOf(client).owner,
        Array.from({ length: 60 }, () => ({ created_at })),
      );
      return () => client.call(lookRoute);
    },
    total: MANY + 60,
    end: { "tidy_looks WHERE owner = ? AND part LIKE 'found:%'": 10, "tidy_looks WHERE owner = ?": 11 },
  },
  "a file is imported": {
    kind: "import",
    prepare: async (client) => importing(client, "k"),
    total: 2 * MANY + 4,
    end: {
      "documents WHERE owner = ? AND version = 1": MANY,
      "memories WHERE owner = ? AND version = 1": MANY,
      "search_entries WHERE owner = ?": 2 * MANY,
      "import_pieces WHERE owner = ?": 0,
      "imports WHERE owner = ? AND status = 'done'": 1,
    },
  },
};

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** An old job of this kind that waits for its next attempt: new ones come after it. */
export const block = (client: Client, kind: JobKind, id: string = crypto.randomUUID()) =>
  owned(
    client,
    `INSERT INTO later (owner, kind, key, id, state, due_at, title, payload, actor, created_at, updated_at)
     VALUES (?, '${kind}', '${id}', '${id}', 'waiting', '${inAnHour()}', 'Something before', '{}', '{}', '2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z')`,
  );

/** Creates a job and returns it before its first step. It runs only when the test runs it. */
export async function begin(
  client: Client,
  { kind, prepare }: Pick<Story, "kind" | "prepare">,
): Promise<Job> {
  const before = crypto.randomUUID();
  const ask = await prepare(client);
  await block(client, kind, before);
  const { status } = await ask();
  if (status !== 202) throw new Error(`It was answered with ${status}`);
  await expect
    .poll(() => runInDurableObject(objectOfClient(client), (_, state) => state.storage.getAlarm()))
    .toBeGreaterThan(Date.now() + 10_000);
  await owned(client, `DELETE FROM later WHERE owner = ? AND id = '${before}'`);
  const [job] = (await client.ok(listJobsRoute)).items;
  if (!job) throw new Error("There is no job");
  return job;
}

/** Takes the work of an account that is next, as its object does. */
export async function take(client: Client): Promise<{ goOn: () => Promise<boolean> } | undefined> {
  const { home, owner } = accountOf(client);
  const base = openShard(env as unknown as Env, home);
  const due = await readDueChores(base, env as unknown as Env, owner);
  if (!due) return undefined;
  const { PLAN_LIMITS: plan_limits } = env as unknown as Env;
  const ctx = { ...ctxFor(base, due.user), plan_limits, sells_plans: true };
  const [task] = await leaseDueJobs({ ...ctx, now: new Date() });
  const of = task && {
    ctx: { ...ctx, ...task.actor },
    env: env as unknown as Env,
    task,
    payload: task.payload,
  };
  return of && { goOn: () => continueJob(JOB_DEFINITIONS[of.task.kind], of, () => false) };
}

/** Does all work of an account here, under the faults of this test, and without its object. */
export async function workOff(client: Client): Promise<void> {
  for (let turn = 0; (await countWaiting(client)) > 0; turn++) {
    if (turn > 200) throw new Error("It does not end");
    await letItBeDue(client);
    await take(client)
      .then((taken) => taken?.goOn())
      .catch((problem: unknown) => {
        if (!(problem instanceof AppError && problem.status === 503)) throw problem;
      });
  }
}
