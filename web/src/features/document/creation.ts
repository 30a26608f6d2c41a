import { activityApi } from "../../api/activity.ts";
import { type Document, documentsApi } from "../../api/documents.ts";
import { undefinedIf } from "../../api/request.ts";
import type { CreateRequest } from "../../state/document-drafts.ts";

const HOUR_MS = 3_600_000;
/** The service remembers an idempotency key for 24 hours. After that, repeating the request could create a second document. */
const REMEMBERED_MS = 23 * HOUR_MS;
/** Tolerance for the clock of this device. */
const CLOCK_TOLERANCE_MS = HOUR_MS;

const isKeyExpired = ({ sent }: CreateRequest) => !sent || Date.now() - Date.parse(sent) > REMEMBERED_MS;

/** Ids of documents created with this title since the request was first sent. */
async function candidatesFor({ sent, body }: CreateRequest): Promise<string[]> {
  const since = sent && new Date(Date.parse(sent) - CLOCK_TOLERANCE_MS).toISOString();
  const ids: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await activityApi.list({
      kind: "document",
      verb: "created",
      limit: 100,
      ...(since && { since }),
      ...(cursor && { cursor }),
    });
    ids.push(...page.items.filter(({ title }) => title === body.title).map(({ record_id }) => record_id));
    cursor = page.next_cursor;
  } while (cursor);
  return ids;
}

/** The document as the request created it, or undefined. The first of very many versions may no longer exist. */
async function asCreated(id: string, { body }: CreateRequest): Promise<Document | undefined> {
  const document = await documentsApi.get(id).catch(undefinedIf(404));
  if (!document) return undefined;
  const first = await documentsApi.version(id, 1).catch(undefinedIf(404));
  if (first && JSON.stringify(first.content) !== JSON.stringify(body.content)) return undefined;
  return { ...document, title: body.title, content: body.content, version: 1 };
}

/**
 * The document that was created by a request whose answer was lost, in its first version, so that later changes are not
 * overwritten. Undefined if there is none, and while the service still remembers the request. Throws ApiError.
 */
export async function findAlreadyCreated(creation: CreateRequest): Promise<Document | undefined> {
  if (!isKeyExpired(creation)) return undefined;
  for (const id of await candidatesFor(creation)) {
    const document = await asCreated(id, creation);
    if (document) return document;
  }
  return undefined;
}
