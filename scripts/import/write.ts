import type { Document } from "../../src/documents/schema.ts";
import { type Client, Refused } from "./client.ts";
import { readContent } from "./imported.ts";
import { digest } from "./item.ts";
import type { Step } from "./plan.ts";
import { MAX_BODY_BYTES, tooLarge } from "./size.ts";

/** What became of an item. */
export type Outcome = "created" | "updated" | "skipped";

type FolderOf = (names: string[]) => Promise<string | null>;

const isMissing = (problem: unknown) => problem instanceof Refused && problem.status === 404;

/** The request body of a step. Throws `Refused` when it is larger than the service takes. */
async function bodyOf({ item, mark }: Step, folderOf: FolderOf) {
  const { title, tags, content, folders } = item;
  const body = { title, tags, content: { ...content, imported: mark }, folder_id: await folderOf(folders) };
  const bytes = Buffer.byteLength(JSON.stringify(body));
  if (bytes > MAX_BODY_BYTES) throw new Refused(413, tooLarge(bytes));
  return body;
}

/**
 * Creates a document once, however often the request has to be sent. For 24 hours the service answers a key
 * that it knows with what it did then; where that document has been deleted since, another key makes a new one.
 */
async function create(client: Client, body: { title: string }, key: string): Promise<Outcome> {
  const headers = { "Idempotency-Key": key, "X-Source-Type": "import" };
  const request = { method: "POST", path: "/api/documents", body, headers } as const;
  const { id, created_at } = await client.send<Document>(request);
  const sinceSignIn = new Date(created_at).getTime() - client.signedInAt.getTime();
  // The time of sign-in is cut to the second: within that one nobody knows without looking.
  if (sinceSignIn >= 1000) return "created";
  if (await readContent(client, id)) return sinceSignIn >= 0 ? "created" : "skipped";
  return create(client, body, digest(`${key} ${id}`));
}

/** Changes a document. Answers undefined when it is gone. */
async function update(client: Client, id: string, body: object): Promise<Outcome | undefined> {
  try {
    await client.send({ method: "PUT", path: `/api/documents/${id}`, body });
    return "updated";
  } catch (problem) {
    if (isMissing(problem)) return undefined;
    throw problem;
  }
}

/** Gives a document the mark of its new place, and keeps what its owner has made of it since. */
async function move(client: Client, id: string, mark: Step["mark"]): Promise<Outcome | undefined> {
  const content = await readContent(client, id);
  return content && update(client, id, { content: { ...content, imported: mark } });
}

/** Carries out one step of an import. Throws `Refused` when the service does not take the document. */
export async function write(client: Client, step: Step, folderOf: FolderOf): Promise<Outcome> {
  if (step.kind === "skip") return "skipped";
  if (step.kind === "move") {
    const moved = await move(client, step.id, step.mark);
    if (moved) return moved;
  }
  const body = await bodyOf(step, folderOf);
  const updated = step.kind === "update" ? await update(client, step.id, body) : undefined;
  return updated ?? create(client, body, digest(JSON.stringify([step.mark.origin, body])));
}
