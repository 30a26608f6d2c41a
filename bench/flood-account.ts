import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Account,
  createMany,
  documentOf,
  each,
  inBulk,
  newAccount,
  PASSWORD,
  recordOf,
  repeated,
  send,
  type Urls,
} from "./account.ts";
import { atEnd } from "./copies.ts";
import { makeDocument, makeLongText } from "./texts.ts";

// The accounts that flood the service, with years of documents and records and texts of the maximum size.

type Id = string | number;

/** An account with its ids, by the names of the parameters that take them. `next` cycles through those of a kind. */
export type Owner = Account & {
  add: (kind: string, ids: Id[]) => void;
  next: (kind: string) => Id | undefined;
};

async function newOwner(urls: Urls, name: string): Promise<Owner> {
  const kept = new Map<string, Id[]>();
  return {
    ...(await newAccount(urls, name)),
    add: (kind, ids) => void kept.set(kind, [...(kept.get(kind) ?? []), ...ids]),
    next: (kind) => {
      const ids = kept.get(kind) ?? [];
      const id = ids.shift();
      if (id !== undefined) ids.push(id);
      return id;
    },
  };
}

const DOCUMENTS = 2000;
const RECORDS = 2000;
const TRASHED = 100;
const TASKS = 58_000;
const CHARACTERS = [820_000, 800_000, 750_000, 700_000, 650_000, 600_000, 500_000, 450_000];
const PROJECTS = 100;
const TAGS = 150;
const FOLDERS = 150;
const FILES = 110;
const FILE_BYTES = 20_000;
const SESSIONS = 60;
const WEBHOOKS = 8;
const UPLOADS = 5;
export const UPLOAD_BYTES = 1_000_000;
const TYPES = ["commitment", "commitment", "decision", "blocker", "pattern", "preference", "context"];

const filedDocument = (number: number) => ({ ...documentOf(number), tags: ["all", `tag${number % TAGS}`] });

const filedRecord = (number: number) => ({
  ...{ ...recordOf(number), content: makeDocument(number).text, project: `project${number % PROJECTS}` },
  ...{ memory_type: TYPES[number % TYPES.length] ?? "", due_date: `2099-01-${10 + (number % 18)}` },
});

const create = async (owner: Owner, path: string, body: unknown, headers?: Record<string, string>) =>
  (await owner.ask<{ id: string }>("POST", path, body, headers)).id;

export const markdown = (text: string) => ({ format: "markdown", text });

async function addLargeDocuments(owner: Owner): Promise<void> {
  const add = (title: string, text: string) =>
    create(owner, "/api/documents", { title, content: markdown(text) });
  const texts = CHARACTERS.map((characters, number) => makeLongText(number, characters));
  const [first = "", second = "", ...rest] = await each(texts, (text) => add("Large", text));
  const keys = repeated(10_000, (number) => `key${number}: the value of it`).join("\n");
  const tasks = repeated(TASKS, (number) => `- [ ] t${number}`).join("\n");
  owner.add("document_id", [first]);
  owner.add("with_versions", [second]);
  owner.add("large_document", rest);
  owner.add("with_tasks", [await add("Tasks", tasks)]);
  owner.add("with_keys", [await add("Keys", `---\n${keys}\n---\n\nText\n`)]);
  for (const id of [first, second])
    await owner.send("POST", `/api/documents/${id}/edit`, { operation: "append", text: "Edited" });
}

async function addDocuments(owner: Owner, folders: string[]): Promise<void> {
  const documents = repeated(DOCUMENTS, (number) => ({
    ...{ ...filedDocument(number), folder_id: folders[number % folders.length] },
  }));
  const ids = await createMany<string>(owner, "documents", documents);
  const trashed = ids.slice(0, TRASHED);
  owner.add("trashed_document", trashed);
  owner.add("small_document", ids.slice(TRASHED));
  await inBulk(
    owner,
    "documents",
    trashed.map((id) => ({ operation: "delete", id })),
  );
}

async function addRecords(owner: Owner): Promise<void> {
  const daily = { memory_type: "commitment", repeat: "FREQ=DAILY" };
  const repeating = repeated(TRASHED, (number) => ({ ...filedRecord(number), ...daily }));
  // First, because a flood undoes the newest records before another one skips these.
  owner.add("repeating_record", await createMany<number>(owner, "memories", repeating));
  const ids = await createMany<number>(owner, "memories", repeated(RECORDS, filedRecord));
  const [trashed, resolved] = [ids.slice(0, TRASHED), ids.slice(TRASHED, 2 * TRASHED)];
  await inBulk(owner, "memories", [
    ...trashed.map((id) => ({ operation: "delete", id })),
    ...resolved.map((id) => ({ operation: "resolve", id })),
  ]);
  owner.add("trashed_record", trashed);
  owner.add("resolved_record", resolved);
  owner.add("memory_id", ids.slice(2 * TRASHED));
}

async function addFiles(owner: Owner): Promise<void> {
  const ids = await each(repeated(FILES, String), (name) => {
    const body = `${name} ${makeDocument(Number(name)).text} `.repeat(FILE_BYTES).slice(0, FILE_BYTES);
    const disposition = `attachment; filename="${name}.txt"`;
    const headers = { "Content-Type": "application/octet-stream", "Content-Disposition": disposition };
    return create(owner, "/api/files", body, headers);
  });
  await each(ids.slice(0, TRASHED / 2), (id) => owner.send("DELETE", `/api/files/${id}`));
  owner.add("trashed_file", ids.slice(0, TRASHED / 2));
  owner.add("file_id", ids.slice(TRASHED / 2));
  const begun = (name: string) => create(owner, "/api/files/uploads", { name, bytes: UPLOAD_BYTES });
  owner.add("upload_id", await each(repeated(UPLOADS, String), begun));
}

/** Starts a receiver of webhooks. Returns its URL. */
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
  const hook = (name: string) => ({ name, url, events: ["memory.erased"] });
  const ids = await each(repeated(WEBHOOKS, String), (name) => create(owner, "/api/webhooks", hook(name)));
  const [first = ""] = ids;
  owner.add("webhook_url", [url]);
  owner.add("webhook_id", ids);
  owner.add("tested_webhook", [first]);
  owner.add("delivery_id", [await create(owner, `/api/webhooks/${first}/test`, undefined)]);
}

async function addSessions(owner: Owner): Promise<void> {
  const body = JSON.stringify({ email: owner.email, password: PASSWORD });
  const login = { url: `${owner.apiUrl}/api/auth/login`, method: "POST", body };
  const answers = await each(repeated(SESSIONS, String), () =>
    send({ ...login, headers: { "Content-Type": "application/json" } }),
  );
  owner.add(
    "refresh_token",
    answers.map(({ text }) => JSON.parse(text).refresh_token),
  );
}

/** An account with a few documents and records, for a flood that ends it. */
export async function ownOwner(urls: Urls, name: string): Promise<Owner> {
  const own = await newOwner(urls, `own-${name}`);
  own.add("document_id", await createMany<string>(own, "documents", repeated(100, filedDocument)));
  own.add("memory_id", await createMany<number>(own, "memories", repeated(100, filedRecord)));
  return own;
}

/** The account for most floods. */
export async function heavyOwner(urls: Urls): Promise<Owner> {
  const heavy = await newOwner(urls, "heavy");
  const folders = await each(repeated(FOLDERS, String), (name) =>
    create(heavy, "/api/folders", { name: `Folder ${name}` }),
  );
  heavy.add("folder_id", folders);
  heavy.add(
    "project",
    repeated(PROJECTS, (number) => `project${number}`),
  );
  heavy.add(
    "tag",
    repeated(TAGS, (number) => `tag${number}`),
  );
  await addLargeDocuments(heavy);
  await addDocuments(heavy, folders);
  await addRecords(heavy);
  await addFiles(heavy);
  await addWebhooks(heavy);
  await addSessions(heavy);
  heavy.add("token", [(await heavy.ask<{ token: string }>("POST", "/api/dashboard/calendar-token")).token]);
  return heavy;
}

/** An account with 41 MB of text in documents of 1 MB. */
export async function largeOwner(urls: Urls): Promise<Owner> {
  const large = await newOwner(urls, "large");
  for (const number of repeated(41, (one) => one)) {
    const document = { title: "Long", tags: ["large"], content: markdown(makeLongText(number, 1_000_000)) };
    large.add("document_id", [await create(large, "/api/documents", document)]);
  }
  return large;
}
