import { activityApi } from "../../api/activity.ts";
import { type Document, documentsApi } from "../../api/documents.ts";
import { isApiError } from "../../api/request.ts";
import type { Creation } from "../../state/document-drafts.ts";

const HOUR_MS = 3_600_000;
/** The service remembers a key for 24 hours. After that, repeating the request could make a second document. */
const REMEMBERED_MS = 23 * HOUR_MS;
/** By how much the clock of this device may be wrong. */
const CLOCKS_APART_MS = HOUR_MS;

const isForgotten = ({ sent }: Creation) => !sent || Date.now() - Date.parse(sent) > REMEMBERED_MS;

/** The ids of the documents that were created with this title since the request was first sent. */
async function candidatesFor({ sent, body }: Creation): Promise<string[]> {
  const since = sent && new Date(Date.parse(sent) - CLOCKS_APART_MS).toISOString();
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

const unlessMissing = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((problem: unknown) => {
    if (isApiError(problem, 404)) return undefined;
    throw problem;
  });

/** The document as the request made it, if it did. Of one with very many versions the first is no longer there. */
async function asCreated(id: string, { body }: Creation): Promise<Document | undefined> {
  const document = await unlessMissing(documentsApi.get(id));
  if (!document) return undefined;
  const first = await unlessMissing(documentsApi.version(id, 1));
  if (first && JSON.stringify(first.content) !== JSON.stringify(body.content)) return undefined;
  return { ...document, title: body.title, content: body.content, version: 1 };
}

/**
 * The document that was created by a request whose answer never came, as it was then: who has changed it since is not
 * overwritten. Undefined while the service remembers the request, and if there is none. Throws ApiError.
 */
export async function createdBefore(creation: Creation): Promise<Document | undefined> {
  if (!isForgotten(creation)) return undefined;
  for (const id of await candidatesFor(creation)) {
    const document = await asCreated(id, creation);
    if (document) return document;
  }
  return undefined;
}
