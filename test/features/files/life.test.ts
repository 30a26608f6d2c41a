import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { deleteMeRoute } from "../../../src/features/auth/routes.ts";
import * as links from "../../../src/features/files/link-routes.ts";
import * as files from "../../../src/features/files/routes.ts";
import * as uploads from "../../../src/features/files/upload-routes.ts";
import { createMemoryRoute, deleteMemoryRoute } from "../../../src/features/memories/routes.ts";
import { type Client, PASSWORD, person } from "../../kit/client.ts";
import { killedAt } from "../../kit/d1-faults.ts";
import { create, prose, remove, update } from "../../kit/documents.ts";
import { accountOf, objectOf, sendNow, workOf } from "../../kit/hooks.ts";
import { BUCKET, keysIn, keysOf, png, sendFile, upload, userIdOf, webp } from "../../kit/stored-files.ts";

// How long files live, and that the bucket has what the rows say, wherever the service was stopped.

/** Makes an account's files and uploads more than a month older. */
function letMonthPass(client: Client) {
  const ago = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-40 days')";
  const statements = [
    `UPDATE files SET due_at = ${ago}, unused_since = iif(unused_since IS NULL, NULL, ${ago}) WHERE owner = ?`,
    `UPDATE file_uploads SET due_at = ${ago} WHERE owner = ?`,
  ];
  return env.DB.batch(statements.map((text) => env.DB.prepare(text).bind(accountOf(client).owner)));
}

/** The keys that an account's rows name. */
async function keysOfRows(userId: string): Promise<string[]> {
  const rows = env.DB.prepare(
    "SELECT f.id, f.thumbnails FROM files AS f JOIN users AS u ON u.number = f.owner WHERE u.id = ?",
  ).bind(userId);
  const { results } = await rows.all<{ id: string; thumbnails: string }>();
  const ends = (thumbnails: string) => [
    "",
    ...Object.keys(JSON.parse(thumbnails)).map((width) => `/${width}`),
  ];
  return results
    .flatMap(({ id, thumbnails }) => ends(thumbnails).map((end) => `${userId}/${id}${end}`))
    .sort();
}

const countUploads = async ({ owner }: { owner: number }) =>
  (await env.DB.prepare("SELECT count(*) AS n FROM file_uploads WHERE owner = ?").bind(owner).first("n")) ??
  0;

const write = (client: Client, text: string) => create(client, { content: prose(text) });
const namesOf = (file: { id: string }) => `See ![](file:${file.id})`;

test("what nothing refers to for a month is erased, and what a text names, wherever that is, is not", async () => {
  const ada = await person();
  const named = [await upload(ada), await upload(ada), await upload(ada), await upload(ada)] as const;
  const [inText, inVersion, inTrash, inRecord] = named;
  await write(ada, namesOf(inText));
  await update(ada, await write(ada, namesOf(inVersion)), { content: prose("No picture any more") });
  const trashed = await write(ada, namesOf(inTrash));
  await remove(ada, trashed);
  const json = { memory_type: "context", topic: "Picture", content: namesOf(inRecord) };
  const record = await ada.ok(createMemoryRoute, { json });
  const { id: document_id } = await write(ada, "Nothing");
  const attached = await upload(ada, png(), { query: `?document_id=${document_id}` });
  const unused = await upload(ada);
  await letMonthPass(ada);
  await sendNow(ada);
  const kept = [...named, attached].map(({ id }) => id).sort();
  const { items } = await ada.ok(files.listFilesRoute);
  expect(items.map(({ id }) => id).sort()).toEqual(kept);
  expect(items.map(({ unused_since }) => unused_since)).toEqual(kept.map(() => null));
  expect((await ada.fetch(`/api/files/${unused.id}`)).status).toBe(404);
  expect(await keysOf(ada)).toEqual(await keysOfRows(await userIdOf(ada)));
  // When the last document that names it is erased, the file is unused; when a record is, from the next look on.
  await remove(ada, trashed, { permanent: "true" });
  await ada.call(deleteMemoryRoute, {
    params: { memory_id: String(record.id) },
    query: { permanent: "true" },
  });
  for (const left of [4, 3]) {
    await letMonthPass(ada);
    await sendNow(ada);
    expect((await ada.ok(files.listFilesRoute)).total).toBe(left);
  }
});

test("a file that a document names belongs to it again after the next look", async () => {
  const ada = await person();
  const file = await upload(ada);
  const { id: document_id } = await write(ada, namesOf(file));
  await ada.call(links.detachFromDocumentRoute, { params: { file_id: file.id, document_id } });
  const holders = async () =>
    (await ada.ok(files.getFileRoute, { params: { file_id: file.id } })).document_ids;
  expect(await holders()).toEqual([]);
  await letMonthPass(ada);
  await sendNow(ada);
  expect(await holders()).toEqual([document_id]);
});

test("the trash is emptied after a month, and what was begun and left is given up", async () => {
  const ada = await person();
  const file = await upload(ada);
  const thumbnail = { method: "PUT", body: webp() };
  await ada.fetch(`/api/files/${file.id}/thumbnails/320`, thumbnail);
  await ada.call(files.deleteFileRoute, { params: { file_id: file.id } });
  const begun = await ada.ok(uploads.beginUploadRoute, { json: { name: "talk.mp4", bytes: 3 } });
  await ada.fetch(`/api/files/${begun.id}/parts/1`, { method: "PUT", body: "abc" });
  await sendNow(ada);
  expect(await keysOf(ada)).toHaveLength(2);
  await letMonthPass(ada);
  await sendNow(ada);
  expect(await keysOf(ada)).toEqual([]);
  expect((await ada.call(uploads.completeUploadRoute, { params: { upload_id: begun.id } })).status).toBe(404);
  expect(await countUploads(accountOf(ada))).toBe(0);
});

test("an upload that is stopped at any step leaves nothing that no row tells of", async () => {
  const ada = await person();
  const id = await userIdOf(ada);
  let call = 1;
  for (; await killedAt(call, () => sendFile(ada, png())); call++) {
    await letMonthPass(ada);
    await sendNow(ada);
    expect(await keysIn(id), `killed at call ${call}`).toEqual(await keysOfRows(id));
    expect(await countUploads(accountOf(ada))).toBe(0);
  }
  expect(call).toBeGreaterThan(2);
});

test("to erase a file or an account, stopped at any step, continues until the bucket has nothing of it", async () => {
  const ada = await person();
  const id = await userIdOf(ada);
  const erase = async () => {
    const { id: file_id } = await upload(ada);
    return () => ada.call(files.deleteFileRoute, { params: { file_id }, query: { permanent: "true" } });
  };
  for (let call = 1; await killedAt(call, await erase()); call++) {
    await sendNow(ada);
    expect(await keysIn(id), `killed at call ${call}`).toEqual(await keysOfRows(id));
  }
  for (let n = 0; n < 3; n++) await upload(ada);
  await ada.ok(uploads.beginUploadRoute, { json: { name: "talk.mp4", bytes: 3 } });
  const place = accountOf(ada);
  const isOpen = async () =>
    (await env.DB.prepare("SELECT 1 FROM users WHERE id = ? AND deleted_at IS NULL").bind(id).first()) !==
    null;
  for (let call = 1; await isOpen(); call++)
    await killedAt(call, () => ada.call(deleteMeRoute, { json: { password: PASSWORD } }));
  for (let call = 1; (await keysIn(id)).length > 0; call++) await killedAt(call, () => sendNow(ada));
  await objectOf(place).wake(place.owner, place.home);
  await workOf(place);
  expect(await env.DB.prepare("SELECT 1 FROM users WHERE id = ?").bind(id).first()).toBeNull();
});

test("a bucket that does not answer is asked again", async () => {
  const ada = await person();
  const { id } = await upload(ada);
  await ada.call(files.deleteFileRoute, { params: { file_id: id } });
  await letMonthPass(ada);
  const silent = new Proxy(BUCKET, {
    get: (_, name) =>
      name === "delete" ? () => Promise.reject(new Error("No answer")) : Reflect.get(BUCKET, name),
  });
  const place = accountOf(ada);
  await objectOf(place).wake(place.owner, place.home);
  await workOf(place, { ...env, FILES: silent } as never);
  expect(await keysOf(ada)).toHaveLength(1);
  await workOf(place, { ...env } as never);
  expect(await keysOf(ada)).toEqual([]);
});
