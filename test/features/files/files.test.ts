import { expect, test } from "vitest";
import { deleteDocumentRoute } from "../../../src/features/documents/routes.ts";
import * as links from "../../../src/features/files/link-routes.ts";
import * as files from "../../../src/features/files/routes.ts";
import { beginUploadRoute } from "../../../src/features/files/upload-routes.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { withLimits } from "../../kit/database.ts";
import { create } from "../../kit/documents.ts";
import { keyOf } from "../../kit/scopes.ts";
import { bytesOf, keysOf, png, sendFile, sha256Of, upload, userIdOf, webp } from "../../kit/stored-files.ts";
import { bytesUsed } from "../../kit/usage.ts";

const read = (client: Client, id: string, headers: Record<string, string> = {}) =>
  client.fetch(`/api/files/${id}`, { headers });

const BILL = { memory_type: "commitment", topic: "Bill", content: "Pay" } as const;
const bill = (client: Client) => client.ok(createMemoryRoute, { json: BILL });

test("a file is stored, described and read again, byte for byte", async () => {
  const ada = await person();
  const bytes = png("a picture");
  const answer = await sendFile(ada, bytes, {
    name: "Bäume im März.png",
    headers: { "Content-Type": "text/html" },
  });
  expect(answer.status).toBe(201);
  const file = await answer.json<{ id: string }>();
  expect(answer.headers.get("Location")).toBe(`/api/files/${file.id}`);
  expect(file).toMatchObject({
    ...{ name: "Bäume im März.png", type: "image/png", kind: "image", bytes: bytes.length },
    ...{ sha256: await sha256Of(bytes), thumbnails: [], document_ids: [], memory_ids: [], trashed_at: null },
  });
  expect(await keysOf(ada)).toEqual([`${await userIdOf(ada)}/${file.id}`]);
  const whole = await read(ada, file.id);
  expect(whole.status).toBe(200);
  expect(new Uint8Array(await whole.arrayBuffer())).toEqual(bytes);
  expect(whole.headers.get("Content-Type")).toBe("image/png");
  expect(whole.headers.get("Content-Disposition")).toContain("inline");
  expect(whole.headers.get("Content-Disposition")).toContain("B%C3%A4ume%20im%20M%C3%A4rz.png");
  expect(whole.headers.get("Cache-Control")).toBe("private, max-age=31536000, immutable, no-transform");
  const etag = whole.headers.get("ETag") ?? "";
  const known = await read(ada, file.id, { "If-None-Match": etag });
  expect(known.status).toBe(304);
  for (const name of ["Vary", "Content-Security-Policy", "Cache-Control"])
    expect(known.headers.get(name), name).toBe(whole.headers.get(name));
  expect(whole.headers.get("Vary")?.split(/,\s*/).sort()).toEqual(["Authorization", "Cookie", "Origin"]);
  const saved = await ada.fetch(`/api/files/${file.id}?download=true`);
  expect(saved.headers.get("Content-Disposition")).toMatch(/^attachment/);
  const { items, total } = await ada.ok(files.listFilesRoute);
  expect([items.map(({ id }) => id), total]).toEqual([[file.id], 1]);
});

test("the same bytes again are the same file, also out of the trash", async () => {
  const ada = await person();
  const bytes = png();
  const file = await upload(ada, bytes);
  const again = await sendFile(ada, bytes, { name: "other.png" });
  expect([again.status, await again.json()]).toEqual([
    200,
    expect.objectContaining({ id: file.id, name: "picture.png" }),
  ]);
  await ada.call(files.deleteFileRoute, { params: { file_id: file.id } });
  expect((await read(ada, file.id)).status).toBe(404);
  expect((await ada.ok(files.listFilesRoute, { query: { trashed: "true" } })).total).toBe(1);
  expect((await sendFile(ada, bytes)).status).toBe(200);
  expect((await read(ada, file.id)).status).toBe(200);
  expect(await keysOf(ada)).toHaveLength(1);
});

test("a digest is checked, and what is refused leaves nothing in the bucket", async () => {
  const ada = await person();
  const [bytes, other] = [png("one"), png("two")];
  const digest = async (of: Uint8Array<ArrayBuffer>) =>
    btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-256", of))));
  const answer = async (headers: Record<string, string>) => {
    const { status, headers: told } = await sendFile(ada, bytes, { headers });
    return [status, told.get("Error-Code")];
  };
  const wrong = await digest(other);
  expect(await answer({ "Repr-Digest": `sha-256=:${wrong}:` })).toEqual([400, "wrong_digest"]);
  expect(await answer({ Digest: `SHA-256=${wrong}` })).toEqual([400, "wrong_digest"]);
  expect((await answer({ "Repr-Digest": "sha-256=:c2hvcnQ=:" }))[0]).toBe(422);
  expect(await keysOf(ada)).toEqual([]);
  expect((await ada.ok(files.listFilesRoute)).total).toBe(0);
  expect(await answer({ "Repr-Digest": `sha-256=:${await digest(bytes)}:` })).toEqual([201, null]);
});

test("two people with the same bytes know nothing of each other", async () => {
  const [ada, eve] = [await person(), await person()];
  const bytes = png();
  const mine = await upload(ada, bytes);
  const before = await bytesUsed(eve);
  const hers = await sendFile(eve, bytes);
  expect(hers.status).toBe(201);
  const { id } = await hers.json<{ id: string }>();
  expect(id).not.toBe(mine.id);
  expect((await bytesUsed(eve)) - before).toBe(500 + bytes.length);
  // What is attached to another's document is refused, and not stored.
  const query = `?document_id=${(await create(ada)).id}`;
  expect((await sendFile(eve, png(), { query })).status).toBe(404);
  expect(await keysOf(eve)).toHaveLength(1);
  await ada.call(files.deleteFileRoute, { params: { file_id: mine.id }, query: { permanent: "true" } });
  expect((await read(eve, id)).status).toBe(200);
  expect(await keysOf(ada)).toEqual([]);
});

test("files are attached to documents and records, and replaced there", async () => {
  const ada = await person();
  const paper = await create(ada);
  const { id } = await bill(ada);
  const file = await upload(ada, png(), { query: `?document_id=${paper.id}&memory_id=${id}` });
  const held = { document_ids: [paper.id], memory_ids: [id] };
  expect(file).toMatchObject({ ...held, unused_since: null });
  const other = await upload(ada);
  expect(other.unused_since).not.toBeNull();
  const next = await ada.ok(links.replaceFileRoute, { params: { file_id: file.id }, json: { by: other.id } });
  expect(next).toMatchObject({ id: other.id, ...held, replaces_id: file.id });
  const of = (query: Record<string, string>) => ada.ok(files.listFilesRoute, { query });
  for (const query of [{ document_id: paper.id }, { memory_id: String(id) }] as Record<string, string>[])
    expect((await of(query)).items.map((one) => one.id)).toEqual([other.id]);
  const params = { file_id: other.id, memory_id: String(id) };
  expect((await ada.call(links.detachFromMemoryRoute, { params })).status).toBe(204);
  expect((await ada.call(links.attachToMemoryRoute, { params })).status).toBe(204);
  await ada.call(links.detachFromMemoryRoute, { params });
  await ada.call(deleteDocumentRoute, { params: { document_id: paper.id }, query: { permanent: "true" } });
  const left = await ada.ok(files.getFileRoute, { params: { file_id: other.id } });
  expect(left).toMatchObject({ document_ids: [], memory_ids: [], unused_since: expect.any(String) });
});

test("a search finds what has a file, by has:file, in documents and records", async () => {
  const ada = await person();
  const [paper] = [await create(ada), await create(ada)];
  const [record] = [await bill(ada), await bill(ada)];
  const file = await upload(ada, png(), { query: `?document_id=${paper.id}&memory_id=${record.id}` });
  const found = async (q: string, type = "all") => {
    const { results, notes } = await ada.ok(searchRoute, { query: { q, type } });
    expect(notes).toBeUndefined();
    return results.map((result) => ("document" in result ? result.document.id : result.memory.id));
  };
  expect((await found("has:file")).map(String).sort()).toEqual([String(record.id), paper.id].sort());
  expect(await found("has:FILE pay")).toEqual([record.id]);
  expect(await found("has:file", "documents")).toEqual([paper.id]);
  expect(await found("has:file has:task", "documents")).toEqual([]);
  await ada.call(files.deleteFileRoute, { params: { file_id: file.id } });
  expect(await found("has:file")).toEqual([]);
});

test("a file without room is refused before its first byte is stored", async () => {
  const ada = await person();
  const bytes = await bytesUsed(ada);
  const full = withLimits(ada, { bytes: bytes + 1000 });
  const answer = await sendFile(full, new Uint8Array(2000));
  expect([answer.status, (await answer.json<{ detail: string }>()).detail]).toEqual([
    403,
    expect.stringContaining("Your storage is full"),
  ]);
  expect(await keysOf(ada)).toEqual([]);
  const small = await upload(full, png("small"));
  expect(await bytesUsed(ada)).toBe(bytes + 500 + small.bytes);
  await ada.call(files.deleteFileRoute, { params: { file_id: small.id }, query: { permanent: "true" } });
  expect(await bytesUsed(ada)).toBe(bytes);
});

test("thumbnails lie beside their file, count, and go with it", async () => {
  const ada = await person();
  const before = await bytesUsed(ada);
  const file = await upload(ada);
  const put = (width: number, body: Uint8Array<ArrayBuffer>) =>
    ada.fetch(`/api/files/${file.id}/thumbnails/${width}`, {
      method: "PUT",
      body,
      headers: { "Content-Type": "image/webp" },
    });
  expect((await put(320, png())).status).toBe(400);
  expect((await put(64, webp())).status).toBe(422);
  expect((await put(320, webp("first"))).status).toBe(204);
  expect((await put(320, webp("second"))).status).toBe(204);
  expect((await put(1000, webp())).status).toBe(204);
  const small = await ada.fetch(`/api/files/${file.id}/thumbnails/320`);
  expect(new Uint8Array(await small.arrayBuffer())).toEqual(webp("second"));
  expect((await ada.ok(files.getFileRoute, { params: { file_id: file.id } })).thumbnails).toEqual([
    320, 1000,
  ]);
  const thumbnails = webp("second").length + webp().length;
  expect((await bytesUsed(ada)) - before).toBe(500 + file.bytes + thumbnails);
  expect(await keysOf(ada)).toHaveLength(3);
  await ada.call(files.deleteFileRoute, { params: { file_id: file.id }, query: { permanent: "true" } });
  expect(await keysOf(ada)).toEqual([]);
  expect(await bytesUsed(ada)).toEqual(before);
});

test("a file is renamed and described", async () => {
  const ada = await person();
  const file = await upload(ada, bytesOf("# Title"), { name: "notes.md" });
  expect(file).toMatchObject({ type: "text/markdown", kind: "text" });
  const params = { file_id: file.id };
  const changed = await ada.ok(files.updateFileRoute, {
    params,
    json: { name: "a/b\u202egpj.md", alt: "Notes", width: 3 },
  });
  expect(changed).toMatchObject({ name: "bgpj.md", alt: "Notes", width: 3, height: null });
  expect(await ada.ok(files.updateFileRoute, { params, json: { alt: null } })).toMatchObject({ alt: null });
});

test("a key attaches to records, and sees which they are, only with their scopes", async () => {
  const ada = await person();
  const { id } = await bill(ada);
  const query = `?memory_id=${id}`;
  await upload(ada, png("attached"), { query });
  const docs = await keyOf(ada, ["docs:read", "docs:write"]);
  const headers = { "Idempotency-Key": "once" };
  expect((await sendFile(docs, png(), { query })).status).toBe(403);
  const begun = { json: { name: "a", bytes: 1, memory_id: id }, headers };
  expect((await docs.call(beginUploadRoute, begun)).status).toBe(403);
  expect((await docs.call(files.listFilesRoute, { query: { memory_id: String(id) } })).status).toBe(403);
  expect((await docs.ok(files.listFilesRoute)).items).toMatchObject([{ memory_ids: [] }]);
  const writing = await keyOf(ada, ["docs:write"]);
  expect((await sendFile(writing, png("attached"))).status).toBe(204);
  const both = await keyOf(ada, ["docs:read", "docs:write", "memory:read", "memory:write"]);
  expect((await sendFile(both, png(), { query })).status).toBe(201);
  expect((await both.ok(files.listFilesRoute, { query: { memory_id: String(id) } })).total).toBe(2);
});
