import { createApiKeyRoute } from "../../src/features/api-keys/routes.ts";
import { changeEmailRoute, resetPasswordRoute } from "../../src/features/auth/email/routes.ts";
import {
  addPasskeyRoute,
  listPasskeysRoute,
  passkeyLoginOptionsRoute,
  passkeyOptionsRoute,
} from "../../src/features/auth/passkeys/routes.ts";
import { listSessionsRoute } from "../../src/features/auth/routes.ts";
import {
  confirmSecondFactorRoute,
  startSecondFactorRoute,
} from "../../src/features/auth/second-factor/routes.ts";
import { listConnectionsRoute } from "../../src/features/connections/routes.ts";
import { createCalendarTokenRoute } from "../../src/features/dashboard/routes.ts";
import { createDocumentRoute, updateDocumentRoute } from "../../src/features/documents/routes.ts";
import { EXAMPLE_FILE, EXAMPLE_RECEIVED, exampleRange } from "../../src/features/export/example.ts";
import { beginUploadRoute } from "../../src/features/files/upload-routes.ts";
import { createFolderRoute } from "../../src/features/folders/routes.ts";
import { deleteImportRoute, importAccountRoute, listImportsRoute } from "../../src/features/import/routes.ts";
import { createMemoryRoute, updateMemoryRoute } from "../../src/features/memories/routes.ts";
import { subscribeToPushRoute } from "../../src/features/push/routes.ts";
import { Authenticator } from "./authenticator.ts";
import { type Client, PASSWORD, signIn, visitor } from "./client.ts";
import { accountOf, databaseOfClient, hookOf } from "./hooks.ts";
import { CHANGE, codeFor, RESET, UNDO, VERIFY } from "./mailbox.ts";
import { connect } from "./oauth.ts";
import { reminderTokenOf } from "./reminder-token.ts";
import { upload, webp } from "./stored-files.ts";
import { totpCodeAt } from "./totp.ts";

// Creates what the examples of the description refer to, for one person.

export const EXAMPLE_EMAIL = "ada@example.com";

async function documentId(owner: Client): Promise<string> {
  const content = { format: "markdown", text: "# Trip\n\n- [ ] book\n\n## Packing\n\n- tent" };
  const json = { title: "Trip", tags: ["travel"], content };
  const { id } = await owner.ok(createDocumentRoute, { json });
  const params = { document_id: id };
  for (const title of ["Journey", "Packing list"])
    await owner.ok(updateDocumentRoute, { params, json: { title } });
  return id;
}

async function memoryId(owner: Client): Promise<number> {
  const json = {
    memory_type: "commitment",
    topic: "Slides",
    content: "For the board",
    repeat: "FREQ=WEEKLY",
  };
  const { id } = await owner.ok(createMemoryRoute, { json });
  const params = { memory_id: String(id) };
  for (const topic of ["The slides", "Send Grace the slides"])
    await owner.ok(updateMemoryRoute, { params, json: { topic } });
  return id;
}

/** An import that is waiting for the rest of its file. */
async function importId(owner: Client): Promise<string> {
  // A user may have at most two of them.
  const { items } = await owner.ok(listImportsRoute);
  for (const { id } of items.filter(({ status }) => status === "uploading"))
    await owner.ok(deleteImportRoute, { params: { import_id: id } });
  const headers = {
    "Content-Type": "application/x-ndjson",
    "Content-Range": exampleRange(0, EXAMPLE_RECEIVED),
  };
  return (await owner.ok(importAccountRoute, { headers, body: EXAMPLE_FILE.slice(0, EXAMPLE_RECEIVED) })).id;
}

/** Work that waits for its next step for an hour. */
async function jobId(owner: Client): Promise<string> {
  const id = crypto.randomUUID();
  await databaseOfClient(owner)
    .prepare(
      `INSERT INTO later (owner, kind, key, id, state, due_at, title, payload, actor, created_at, updated_at)
       SELECT number, 'project', ?1, ?1, 'waiting', ?2, 'Rename the project "office" to "work"',
         '{"project":"office","next":"work"}', '{}', ?3, ?3 FROM users WHERE number = ?4`,
    )
    .bind(
      id,
      new Date(Date.now() + 3_600_000).toISOString(),
      new Date().toISOString(),
      accountOf(owner).owner,
    )
    .run();
  return id;
}

/** What the examples change it to. */
export const NEW_EMAIL = "ada.lovelace@example.com";

const askForChange = (owner: Client) =>
  owner.ok(changeEmailRoute, { json: { email: NEW_EMAIL, password: PASSWORD } });

const optionsFor = (owner: Client) => owner.ok(passkeyOptionsRoute, { json: { password: PASSWORD } });

export async function passkeyOf(owner: Client): Promise<Authenticator> {
  const authenticator = new Authenticator();
  const { challenge, user } = await optionsFor(owner);
  authenticator.userHandle = user.id;
  const attestation = await authenticator.create(challenge);
  await owner.ok(addPasskeyRoute, { json: { name: "Laptop", attestation } });
  return authenticator;
}

/** A webhook and one of its deliveries. */
async function hook(owner: Client): Promise<{ webhook_id: string; delivery_id: string }> {
  const { params, sendTest } = await hookOf(owner, { events: ["document.created"] });
  return { ...params, delivery_id: (await sendTest()).id };
}

const PUSH = {
  endpoint: "https://push.example.com/send/abc",
  keys: {
    p256dh: "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
    auth: "tBHItJI5svbpez7KI4CCXg",
  },
};

/** A file with a thumbnail, attached to a document and a record. */
async function fileId(owner: Client): Promise<string> {
  const query = `?document_id=${await documentId(owner)}&memory_id=${await memoryId(owner)}`;
  const { id } = await upload(owner, undefined, { query });
  await owner.fetch(`/api/files/${id}/thumbnails/320`, { method: "PUT", body: webp() });
  return id;
}

/** An upload of the five bytes that the example of a part has. */
async function uploadId(owner: Client): Promise<string> {
  const { id } = await owner.ok(beginUploadRoute, { json: { name: "bytes.txt", bytes: 5 } });
  await owner.fetch(`/api/files/${id}/parts/1`, { method: "PUT", body: "Bytes" });
  return id;
}

/** Creates what a field or parameter refers to, for this person. Documents and records are at version 3. */
const MAKE: Record<string, (owner: Client) => Promise<unknown>> = {
  assertion: async (owner) => {
    const authenticator = await passkeyOf(owner);
    return authenticator.sign((await visitor().ok(passkeyLoginOptionsRoute)).challenge);
  },
  attestation: async (owner) => new Authenticator().create((await optionsFor(owner)).challenge),
  passkey_id: async (owner) => {
    await passkeyOf(owner);
    return (await owner.ok(listPasskeysRoute)).items[0]?.id;
  },
  code: async (owner) => {
    const { secret } = await owner.ok(startSecondFactorRoute, { json: { password: PASSWORD } });
    return totpCodeAt(secret, new Date());
  },
  current_code: async (owner) => {
    const { secret } = await owner.ok(startSecondFactorRoute, { json: { password: PASSWORD } });
    const json = { code: totpCodeAt(secret, new Date()) };
    return (await owner.ok(confirmSecondFactorRoute, { json })).recovery_codes[0];
  },
  change_token: async (owner) => {
    await askForChange(owner);
    return codeFor(NEW_EMAIL, CHANGE);
  },
  reset_token: async () => {
    await visitor().ok(resetPasswordRoute, { json: { email: EXAMPLE_EMAIL } });
    return codeFor(EXAMPLE_EMAIL, RESET);
  },
  undo_token: async (owner) => {
    await askForChange(owner);
    return codeFor(EXAMPLE_EMAIL, UNDO);
  },
  verification_token: () => codeFor(EXAMPLE_EMAIL, VERIFY),
  api_key_id: async (owner) =>
    (await owner.ok(createApiKeyRoute, { json: { name: "Key", scopes: ["docs:read"] } })).id,
  connection_id: async (owner) => {
    await connect(EXAMPLE_EMAIL);
    return (await owner.ok(listConnectionsRoute)).items[0]?.id;
  },
  by: async (owner) => (await upload(owner)).id,
  document_id: documentId,
  file_id: fileId,
  folder_id: async (owner) => (await owner.ok(createFolderRoute, { json: { name: "Travel" } })).id,
  import_id: importId,
  job_id: jobId,
  memory_id: memoryId,
  name: async (owner) => {
    await documentId(owner);
    const json = { memory_type: "context", topic: "Trip", content: "To Rome", project: "travel" };
    await owner.ok(createMemoryRoute, { json });
    return "travel";
  },
  refresh_token: async () => (await signIn(EXAMPLE_EMAIL)).tokens?.refresh_token,
  reminder_token: async (owner) => reminderTokenOf(owner, Number(await memoryId(owner))),
  session_id: async (owner) => {
    await signIn(EXAMPLE_EMAIL);
    const { items } = await owner.ok(listSessionsRoute);
    return items.find(({ current }) => !current)?.id;
  },
  subscription_id: async (owner) => (await owner.ok(subscribeToPushRoute, { json: PUSH })).id,
  token: async (owner) => (await owner.ok(createCalendarTokenRoute)).token,
  upload_id: uploadId,
};

/** A person's resources by the names that examples use, each created on first use. */
export function belongings(owner: Client): (name: string) => Promise<unknown> | undefined {
  const made = new Map<string, Promise<unknown>>();
  return (name) => {
    if (["webhook_id", "delivery_id"].includes(name)) {
      if (!made.has("hook")) made.set("hook", hook(owner));
      return made.get("hook")?.then((both) => (both as Record<string, unknown>)[name]);
    }
    const make = Object.hasOwn(MAKE, name) ? MAKE[name] : undefined;
    if (make && !made.has(name)) made.set(name, make(owner));
    return made.get(name);
  };
}

export type Belongings = ReturnType<typeof belongings>;

/** The field of a bulk operation that identifies its target. */
const nameOfId = (value: unknown) => (typeof value === "number" ? "memory_id" : "document_id");

/**
 * An example of a body that refers to this person's own resources. A `name` in a body is a new one and is not replaced.
 */
export async function withOwn(example: unknown, own: Belongings): Promise<unknown> {
  if (Array.isArray(example)) return Promise.all(example.map((item) => withOwn(item, own)));
  if (typeof example !== "object" || example === null) return example;
  const fields = Object.entries(example).map(async ([field, value]) => {
    const mine =
      value === null || field === "name" ? undefined : own(field === "id" ? nameOfId(value) : field);
    return [field, mine ? await mine : await withOwn(value, own)];
  });
  return Object.fromEntries(await Promise.all(fields));
}
