import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "./at-end.ts";
import { UPLOAD_BYTES } from "./flood-needs.ts";
import { newOwner, type Owner, repeated, signIn } from "./flood-owner.ts";
import type { Urls } from "./operations.ts";
import { makeDocument, makeLongText } from "./texts.ts";

// The account that floods the service: somebody with years of documents and records, and some of the largest texts.

const DOCUMENTS = 2000;
const RECORDS = 2000;
const AT_ONCE = 100;
const TASKS = 58_000;
const KEYS = [20_000, 10_000];
const CHARACTERS = [820_000, 800_000, 750_000, 700_000, 650_000, 600_000, 500_000, 450_000];
const PROJECTS = 100;
const TAGS = 150;
const FOLDERS = 150;
const FILES = 110;
const FILE_BYTES = 20_000;
const SESSIONS = 60;
const TRASHED = 100;
const WEBHOOKS = 8;
const UPLOADS = 5;
const TYPES = ["commitment", "commitment", "decision", "blocker", "pattern", "preference", "context"];

type Made = { id: string };
type Bulk = { results: { ok: boolean; id: string | number; detail?: string }[] };

/** Does something for each, a few at once. */
async function each<Item, Result>(items: Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += 10)
    results.push(...(await Promise.all(items.slice(start, start + 10).map(work))));
  return results;
}

/** Creates documents or records, a hundred at a time, and returns their ids. */
async function createMany(owner: Owner, path: string, made: object[]): Promise<(string | number)[]> {
  const ids: (string | number)[] = [];
  for (let start = 0; start < made.length; start += AT_ONCE) {
    const operations = made.slice(start, start + AT_ONCE).map((one) => ({ operation: "create", ...one }));
    const { results } = await owner.ask<Bulk>("POST", path, { body: { operations } });
    const refused = results.find(({ ok }) => !ok);
    if (refused) throw new Error(`${path}: ${refused.detail}`);
    ids.push(...results.map(({ id }) => id));
  }
  return ids;
}

/** Does the same to a hundred documents or records. */
const changeAll = (owner: Owner, path: string, change: object, ids: (string | number)[]) =>
  owner.ask("POST", path, { body: { operations: ids.map((id) => ({ ...change, id })) } });

/** A document for the API; most have a tag of their own hundredth, and all have one in common. */
function documentOf(number: number) {
  const { title, text } = makeDocument(number);
  return { title, tags: ["all", `tag${number % TAGS}`], content: { format: "markdown", text } };
}

function recordOf(number: number) {
  const { title, text } = makeDocument(number);
  return {
    memory_type: TYPES[number % TYPES.length] ?? "",
    ...{ topic: title, content: text, project: `project${number % PROJECTS}` },
    due_date: `2099-01-${String(1 + (number % 28)).padStart(2, "0")}`,
  };
}

const create = async (owner: Owner, title: string, text: string) =>
  (
    await owner.ask<Made>("POST", "/api/documents", {
      body: { title, content: { format: "markdown", text } },
    })
  ).id;

const frontMatter = (keys: number) =>
  `---\n${repeated(keys, (number) => `key${number}: the value of it`).join("\n")}\n---\n\nText\n`;

/** Creates the document with as many keys in its front matter as are accepted. */
async function createKeys(owner: Owner): Promise<string> {
  const [most = 0, fewer = 0] = KEYS;
  return create(owner, "Keys", frontMatter(most)).catch(() => create(owner, "Keys", frontMatter(fewer)));
}

async function addLargeDocuments(owner: Owner): Promise<void> {
  const texts = CHARACTERS.map((characters, number) => makeLongText(number, characters));
  const [first = "", second = "", ...rest] = await each(texts, (text) => create(owner, "Large", text));
  const tasks = repeated(TASKS, (number) => `- [ ] t${number}`).join("\n");
  owner.add("document_id", [first]);
  owner.add("with_versions", [second]);
  owner.add("large_document", rest);
  owner.add("with_tasks", [await create(owner, "Tasks", tasks)]);
  owner.add("with_keys", [await createKeys(owner)]);
  for (const id of [first, second])
    await owner.ask("POST", `/api/documents/${id}/edit`, { body: { operation: "append", text: "Edited" } });
}

async function addDocuments(owner: Owner, folders: string[]): Promise<void> {
  const documents = repeated(DOCUMENTS, (number) => ({
    ...documentOf(number),
    folder_id: folders[number % folders.length],
  }));
  const ids = await createMany(owner, "/api/documents/bulk", documents);
  owner.add("trashed_document", ids.slice(0, TRASHED));
  owner.add("small_document", ids.slice(TRASHED));
  await changeAll(owner, "/api/documents/bulk", { operation: "delete" }, ids.slice(0, TRASHED));
}

async function addRecords(owner: Owner): Promise<void> {
  const repeating = repeated(TRASHED, (number) => ({
    ...recordOf(number),
    memory_type: "commitment",
    repeat: "FREQ=DAILY",
  }));
  // First, because the latest records are undone by a flood before these are skipped.
  owner.add("repeating_record", await createMany(owner, "/api/memories/bulk", repeating));
  const ids = await createMany(owner, "/api/memories/bulk", repeated(RECORDS, recordOf));
  const [trashed, resolved] = [ids.slice(0, TRASHED), ids.slice(TRASHED, 2 * TRASHED)];
  await changeAll(owner, "/api/memories/bulk", { operation: "delete" }, trashed);
  await changeAll(owner, "/api/memories/bulk", { operation: "resolve" }, resolved);
  owner.add("trashed_record", trashed);
  owner.add("resolved_record", resolved);
  owner.add("memory_id", ids.slice(2 * TRASHED));
}

async function addFiles(owner: Owner): Promise<void> {
  const ids = await each(repeated(FILES, String), async (name) => {
    const headers = {
      "Content-Type": "application/octet-stream",
      "Content-Disposition": `attachment; filename="${name}.txt"`,
    };
    const body = `${name} ${makeDocument(Number(name)).text} `.repeat(FILE_BYTES).slice(0, FILE_BYTES);
    return (await owner.ask<Made>("POST", "/api/files", { headers, body })).id;
  });
  await each(ids.slice(0, TRASHED / 2), (id) => owner.ask("DELETE", `/api/files/${id}`));
  owner.add("trashed_file", ids.slice(0, TRASHED / 2));
  owner.add("file_id", ids.slice(TRASHED / 2));
  const begin = (name: string) =>
    owner.ask<Made>("POST", "/api/files/uploads", { body: { name, bytes: UPLOAD_BYTES } });
  owner.add(
    "upload_id",
    (await each(repeated(UPLOADS, String), begin)).map(({ id }) => id),
  );
}

/** A receiver of webhooks, which answers at once. */
async function receiver(): Promise<string> {
  const server = createServer((asked, answer) => {
    asked.resume();
    answer.writeHead(204).end();
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function addWebhooks(owner: Owner): Promise<void> {
  const url = await receiver();
  const hooks = await each(repeated(WEBHOOKS, String), (name) =>
    owner.ask<Made>("POST", "/api/webhooks", { body: { name, url, events: ["memory.erased"] } }),
  );
  owner.add("webhook_url", [url]);
  owner.add(
    "webhook_id",
    hooks.map(({ id }) => id),
  );
  const [first] = hooks;
  const test = await owner.ask<Made>("POST", `/api/webhooks/${first?.id}/test`);
  owner.add("tested_webhook", [first?.id ?? ""]);
  owner.add("delivery_id", [test.id]);
}

async function addSessions(owner: Owner): Promise<void> {
  const tokens = await each(repeated(SESSIONS, String), () => signIn(owner.apiUrl, owner.email));
  owner.add(
    "refresh_token",
    tokens.map(({ refresh_token }) => refresh_token),
  );
}

/** A small account of one record, which asks beside the floods. */
export async function smallOwner(urls: Urls): Promise<Owner> {
  const small = await newOwner(urls, "small");
  await small.ask("POST", "/api/memories", { body: { ...recordOf(1), topic: "Small" } });
  return small;
}

/** An account for one flood that ends it, with some documents and records. */
export async function ownOwner(urls: Urls, name: string): Promise<Owner> {
  const own = await newOwner(urls, `own-${name}`);
  own.add("document_id", await createMany(own, "/api/documents/bulk", repeated(AT_ONCE, documentOf)));
  own.add("memory_id", await createMany(own, "/api/memories/bulk", repeated(AT_ONCE, recordOf)));
  return own;
}

/** The account that floods, which is the first one: the operator's. */
export async function heavyOwner(urls: Urls): Promise<Owner> {
  const heavy = await newOwner(urls, "heavy");
  const folders = await each(repeated(FOLDERS, String), (name) =>
    heavy.ask<Made>("POST", "/api/folders", { body: { name: `Folder ${name}` } }),
  );
  const folderIds = folders.map(({ id }) => id);
  heavy.add("folder_id", folderIds);
  heavy.add(
    "project",
    repeated(PROJECTS, (number) => `project${number}`),
  );
  heavy.add(
    "tag",
    repeated(TAGS, (number) => `tag${number}`),
  );
  await addLargeDocuments(heavy);
  await addDocuments(heavy, folderIds);
  await addRecords(heavy);
  await addFiles(heavy);
  await addWebhooks(heavy);
  await addSessions(heavy);
  const { token } = await heavy.ask<{ token: string }>("POST", "/api/dashboard/calendar-token");
  heavy.add("token", [token]);
  return heavy;
}
