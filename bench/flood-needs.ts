import { type Owner, repeated } from "./flood-owner.ts";
import type { Parts } from "./flood-requests.ts";

// What an account needs before some floods: it is looked up or made right before, because others use it up.

const UPLOADS = 20;

/** As many bytes as an upload of the floods has. */
export const UPLOAD_BYTES = 1_000_000;

export const WEBP = Buffer.from("RIFF\0\0\0\0WEBPVP8 ");

type Items<Item> = { items: Item[] };

/** The ids of as many things of a kind. */
export const nextOf = (owner: Owner, kind: string, count: number) =>
  repeated(count, () => owner.next(kind) ?? "");

/** Changes that the account has not undone, by their numbers. */
export async function addChanges(owner: Owner): Promise<void> {
  let cursor = "";
  for (let page = 0; page < 6; page++) {
    const path = `/api/activity?kind=memory&verb=created&limit=100${cursor && `&cursor=${cursor}`}`;
    const { items, next_cursor } = await owner.ask<{ items: { id: number }[]; next_cursor: string | null }>(
      "GET",
      path,
    );
    owner.add(
      "change",
      items.map(({ id }) => id),
    );
    if (!next_cursor) return;
    cursor = encodeURIComponent(next_cursor);
  }
}

/** What a much smaller account has exported. */
let exported = "";
/** Notes it for the imports of the floods. */
export function keepExport(text: string): void {
  exported = text;
}

/** Where a line begins in the middle: of a part of a file, only whole lines are kept. */
const middle = () => exported.lastIndexOf("\n", exported.length / 2) + 1;

let begun = "";
/** The import that has begun. */
export const begunImport = (): Parts => ({ params: { import_id: begun } });

/** Begins an import, after cancelling those before: an account has two at most. */
export async function beginImport(owner: Owner): Promise<void> {
  const { items } = await owner.ask<Items<{ id: string; status: string }>>("GET", "/api/import?limit=100");
  for (const one of items.filter(({ status }) => status === "uploading"))
    await owner.ask("DELETE", `/api/import/${one.id}`);
  const half = exported.slice(0, middle());
  const bytes = Buffer.byteLength(half);
  const { id } = await owner.ask<{ id: string }>("POST", "/api/import", {
    headers: {
      "Content-Type": "application/x-ndjson",
      "Content-Range": `bytes 0-${bytes - 1}/${Buffer.byteLength(exported)}`,
    },
    body: half,
  });
  owner.add(
    "import_id",
    items.map((one) => one.id),
  );
  begun = id;
}

/** The second half of the import that has begun. */
export const restOfImport = (): Parts => {
  const [whole, half] = [exported, exported.slice(0, middle())].map((text) => Buffer.byteLength(text));
  return {
    ...begunImport(),
    headers: { "Content-Range": `bytes ${half}-${(whole ?? 0) - 1}/${whole}` },
    body: exported.slice(middle()),
  };
};

export async function addJob(owner: Owner): Promise<void> {
  const { items } = await owner.ask<Items<{ id: string }>>("GET", "/api/jobs?limit=100");
  owner.add(
    "job_id",
    items.map(({ id }) => id),
  );
}

export async function addSessions(owner: Owner): Promise<void> {
  const { items } = await owner.ask<Items<{ id: string; current: boolean }>>(
    "GET",
    "/api/auth/sessions?limit=100",
  );
  owner.add(
    "session_id",
    items.filter(({ current }) => !current).map(({ id }) => id),
  );
}

export async function addKeys(owner: Owner): Promise<void> {
  const { items } = await owner.ask<Items<{ id: string }>>("GET", "/api/api-keys?limit=100");
  owner.add(
    "api_key_id",
    items.map(({ id }) => id),
  );
}

export async function addSubscriptions(owner: Owner): Promise<void> {
  const { items } = await owner.ask<Items<{ id: string }>>("GET", "/api/push");
  owner.add(
    "subscription_id",
    items.map(({ id }) => id),
  );
}

export async function addThumbnails(owner: Owner): Promise<void> {
  const id = owner.next("file_id");
  await owner.ask("PUT", `/api/files/${id}/thumbnails/320`, {
    headers: { "Content-Type": "image/webp" },
    body: WEBP,
  });
}

/** Records with three versions each. */
export async function addVersioned(owner: Owner): Promise<void> {
  const ids = nextOf(owner, "memory_id", 100);
  for (const content of ["Second", "Third"]) {
    const operations = ids.map((id) => ({ operation: "update", id, content }));
    await owner.ask("POST", "/api/memories/bulk", { body: { operations } });
  }
  owner.add("versioned_record", ids);
}

/** Ends the uploads that are under way, of which an account has at most 50. */
export async function endUploads(owner: Owner): Promise<void> {
  const { items } = await owner.ask<Items<{ id: string }>>("GET", "/api/files/uploads");
  for (const { id } of items) await owner.ask("DELETE", `/api/files/${id}/parts`);
}

/** Begins uploads; each has all of its bytes. */
export async function addUploads(owner: Owner): Promise<void> {
  await endUploads(owner);
  for (let number = 0; number < UPLOADS; number++) {
    const begun = { name: `Upload ${number}`, bytes: UPLOAD_BYTES };
    const { id } = await owner.ask<{ id: string }>("POST", "/api/files/uploads", { body: begun });
    const headers = { "Content-Type": "application/octet-stream" };
    await owner.ask("PUT", `/api/files/${id}/parts/1`, { headers, body: Buffer.alloc(UPLOAD_BYTES, "a ") });
    owner.add("full_upload", [id]);
  }
}

/** What the account has exported that is imported. */
export const exportedFile = (): string => exported;
