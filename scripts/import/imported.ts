import type pLimit from "p-limit";
import type { Document, DocumentList } from "../../src/documents/schema.ts";
import { type Client, Refused } from "./client.ts";
import { type Item, shortDigest } from "./item.ts";

// How an import knows a document again. Each one carries a mark in its content: where it came from and what
// it said then. Unlike an Idempotency-Key the mark holds for ever, on every machine, and after any crash,
// because it is written in the same transaction as the document. Both are numbers, so that search, which reads
// every string of a content, does not find them.

export type Mark = { origin: number; checksum: number };

/** A document that an earlier import wrote. */
export type Imported = Mark & { id: string };

/** The mark of an item. The checksum covers everything that the import writes. */
export const markOf = ({ origin, title, content, tags, folders }: Item): Mark => ({
  origin: shortDigest(origin),
  checksum: shortDigest(JSON.stringify([title, content, tags, folders])),
});

const PAGE = 100;

async function listImported(client: Client): Promise<string[]> {
  const ids = new Set<string>();
  for (let offset = 0; ; offset += PAGE) {
    const query = `source_type=import&sort=created_at&order=asc&limit=${PAGE}&offset=${offset}`;
    const { items } = await client.send<DocumentList>({ method: "GET", path: `/api/documents?${query}` });
    for (const { id } of items) ids.add(id);
    if (items.length < PAGE) return [...ids];
  }
}

/** Reads a document's content, or undefined when it has none or is gone. */
export async function readContent(client: Client, id: string): Promise<Document["content"]> {
  try {
    return (await client.send<Document>({ method: "GET", path: `/api/documents/${id}` })).content;
  } catch (problem) {
    if (problem instanceof Refused && problem.status === 404) return undefined;
    throw problem;
  }
}

const isMark = (value: unknown): value is Mark =>
  typeof value === "object" && value !== null && "origin" in value && "checksum" in value;

/** Reads what earlier imports wrote into this account. */
export async function readImported(
  client: Client,
  limit: ReturnType<typeof pLimit>,
  onProgress: (done: number, total: number) => void,
): Promise<Imported[]> {
  const ids = await listImported(client);
  const imported: Imported[] = [];
  let done = 0;
  await limit.map(ids, async (id) => {
    const mark = (await readContent(client, id))?.imported;
    if (isMark(mark)) imported.push({ id, origin: mark.origin, checksum: mark.checksum });
    onProgress(++done, ids.length);
  });
  return imported;
}
