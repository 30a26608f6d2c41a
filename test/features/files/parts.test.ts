import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { UPLOAD_PART_BYTES } from "../../../src/contract/file.ts";
import * as files from "../../../src/features/files/routes.ts";
import * as uploads from "../../../src/features/files/upload-routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { withLimits } from "../../kit/database.ts";
import { create } from "../../kit/documents.ts";
import { keysOf, png, sendFile, sha256Of, upload, userIdOf } from "../../kit/stored-files.ts";
import { bytesUsed } from "../../kit/usage.ts";

// Files that come in parts.

/** A file of two parts. */
function large(seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(UPLOAD_PART_BYTES + 1000);
  for (let at = 0; at < bytes.length; at += 4096) bytes[at] = (at / 4096) * 7 + seed;
  return bytes;
}

const partOf = (bytes: Uint8Array<ArrayBuffer>, part: number) =>
  bytes.slice((part - 1) * UPLOAD_PART_BYTES, part * UPLOAD_PART_BYTES);

const begin = (client: Client, bytes: number, more: object = {}) =>
  client.ok(uploads.beginUploadRoute, { json: { name: "talk.bin", bytes, ...more } });

const send = (client: Client, id: string, part: number, body: Uint8Array<ArrayBuffer>) =>
  client.fetch(`/api/files/${id}/parts/${part}`, { method: "PUT", body });

const complete = (client: Client, id: string) =>
  client.call(uploads.completeUploadRoute, { params: { upload_id: id } });

test("a file comes in parts, in any order, and is one file", async () => {
  const ada = await person();
  const bytes = large();
  const paper = await create(ada);
  const begun = await begin(ada, bytes.length, { document_id: paper.id, sha256: await sha256Of(bytes) });
  const params = { upload_id: begun.id };
  expect(begun).toMatchObject({ part_bytes: UPLOAD_PART_BYTES, parts: 2, received: [] });
  expect((await send(ada, begun.id, 2, partOf(large(9), 2))).status).toBe(200);
  const early = await complete(ada, begun.id);
  expect([early.status, early.headers.get("Error-Code"), early.text]).toEqual([
    ...[409, "incomplete", expect.stringContaining("missing: 1")],
  ]);
  expect((await send(ada, begun.id, 1, partOf(bytes, 1))).status).toBe(200);
  // The last one counts.
  expect((await send(ada, begun.id, 2, partOf(bytes, 2))).status).toBe(200);
  expect((await ada.ok(uploads.getUploadRoute, { params })).received).toEqual([1, 2]);
  expect((await ada.ok(uploads.listUploadsRoute)).items.map(({ id }) => id)).toEqual([begun.id]);
  const { status, body: file } = await complete(ada, begun.id);
  expect(status).toBe(201);
  expect(file).toMatchObject({ id: begun.id, bytes: bytes.length, document_ids: [paper.id] });
  const again = await complete(ada, begun.id);
  expect([again.status, again.body]).toEqual([200, file]);
  const stored = await ada.fetch(`/api/files/${begun.id}`);
  expect(await sha256Of(new Uint8Array(await stored.arrayBuffer()))).toBe(file.sha256);
  expect((await ada.ok(uploads.listUploadsRoute)).total).toBe(0);
  expect((await ada.call(uploads.getUploadRoute, { params })).status).toBe(404);
});

test("a part of another length or number is refused", async () => {
  const ada = await person();
  const { id } = await begin(ada, UPLOAD_PART_BYTES + 1000);
  for (const [part, length, status] of [
    [1, 1000, 422],
    [2, 999, 422],
    [3, 1000, 422],
    [0, 1000, 422],
    [2, UPLOAD_PART_BYTES + 1, 413],
  ] as const)
    expect((await send(ada, id, part, new Uint8Array(length))).status, `${part}, ${length}`).toBe(status);
  expect((await ada.ok(uploads.getUploadRoute, { params: { upload_id: id } })).received).toEqual([]);
});

test("known bytes in parts are the known file, and nothing of them stays", async () => {
  const ada = await person();
  const file = await upload(ada, png("known"));
  const { id } = await begin(ada, file.bytes);
  await send(ada, id, 1, png("known"));
  const { status, body } = await complete(ada, id);
  expect([status, body.id]).toEqual([200, file.id]);
  expect(await keysOf(ada)).toEqual([`${await userIdOf(ada)}/${file.id}`]);
});

test("another digest, and giving up, leave nothing", async () => {
  const ada = await person();
  const before = await bytesUsed(ada);
  const { id } = await begin(ada, 3, { sha256: "0".repeat(64) });
  await send(ada, id, 1, new Uint8Array(3));
  const wrong = await complete(ada, id);
  expect([wrong.status, wrong.headers.get("Error-Code")]).toEqual([400, "wrong_digest"]);
  const other = await begin(ada, 3);
  await send(ada, other.id, 1, new Uint8Array(3));
  expect((await ada.call(uploads.abortUploadRoute, { params: { upload_id: other.id } })).status).toBe(204);
  expect((await send(ada, other.id, 1, new Uint8Array(3))).status).toBe(404);
  expect(await keysOf(ada)).toEqual([]);
  expect(await bytesUsed(ada)).toBe(before);
  expect(await env.DB.prepare("SELECT count(*) AS left FROM file_uploads").first("left")).toBe(0);
});

test("uploads under way count, so that many at once do not exceed together what each fits into", async () => {
  const ada = await person();
  const full = withLimits(ada, { bytes: (await bytesUsed(ada)) + 3000 });
  const one = await full.call(uploads.beginUploadRoute, { json: { name: "one", bytes: 2000 } });
  expect(one.status).toBe(201);
  const two = await full.call(uploads.beginUploadRoute, { json: { name: "two", bytes: 2000 } });
  expect([two.status, two.text]).toEqual([403, expect.stringContaining("storage is full")]);
  expect((await sendFile(full, new Uint8Array(2000))).status).toBe(403);
});

test("at most fifty are under way", async () => {
  const ada = await person();
  for (let n = 0; n < 50; n++) await begin(ada, 10);
  const more = await ada.call(uploads.beginUploadRoute, { json: { name: "more", bytes: 10 } });
  expect([more.status, more.headers.get("Retry-After")]).toEqual([429, "1"]);
  expect((await ada.call(files.listFilesRoute)).status).toBe(200);
});
