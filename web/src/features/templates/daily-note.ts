import { isSameName } from "../../../../src/contract/name-key.ts";
import { type Document, documentsApi } from "../../api/documents.ts";
import { foldersApi } from "../../api/folders.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError } from "../../api/request.ts";
import { retryUntilAnswered } from "../../api/retry.ts";
import { searchApi } from "../../api/search.ts";
import { queries } from "../../state/queries.ts";
import { runWithToast } from "../../state/run-with-toast.ts";
import type { ChangeIds } from "../../state/undo.ts";
import { ALL_FOLDERS_QUERY } from "../folders/folders.ts";
import { fillTemplate } from "./beginning.ts";
import { readTemplates, topFoldersNamed } from "./templates.ts";

// One note per day in the folder Daily. All tabs and attempts use an idempotency key made from the day, so that the note is
// created once.

const DAILY = "Daily";

/** Sends a request with the day's key, or with a new one if the result of the first was deleted (410). */
async function oncePerDay<T>(key: string, send: (key: string) => Promise<T>): Promise<T> {
  try {
    return await send(key);
  } catch (problem) {
    if (!isApiError(problem, 410)) throw problem;
    return send(`${key}:${randomId()}`);
  }
}

async function dailyFolder(day: string, changes: ChangeIds): Promise<string> {
  const [existing] = topFoldersNamed(await queries.fetchQuery({ ...ALL_FOLDERS_QUERY, staleTime: 0 }), DAILY);
  if (existing) return existing.id;
  const input = { name: DAILY, parent_id: null };
  const send = (key: string) => foldersApi.createOnce(input, key, { changes });
  return (await oncePerDay(`daily-folder:${day}`, send)).id;
}

/** The id of the oldest document with the day as its title; undefined if there is none. */
async function findNote(day: string, folder: string): Promise<string | undefined> {
  const { results } = await searchApi.search({ q: `title:"${day}"`, folder_id: folder, limit: 100 });
  const ids = results.flatMap((result) =>
    "document" in result && result.document.title === day ? [result.document.id] : [],
  );
  return ids.sort()[0];
}

/** Tags and content from the template called Daily; empty without one. */
async function dailyContent(timezone: string) {
  const template = (await readTemplates()).find(({ title }) => isSameName(title, DAILY));
  if (!template) return { tags: [], content: { format: "markdown", text: "" } };
  const { tags, content } = fillTemplate(await documentsApi.get(template.id), timezone);
  return { tags, content };
}

const exists = (id: string) =>
  documentsApi.get(id).then(
    () => true,
    (problem: unknown) => {
      if (!isApiError(problem, 404)) throw problem;
      return false;
    },
  );

type NewNote = { day: string; folder: string; timezone: string; changes: ChangeIds };

async function createNote({ day, folder, timezone, changes }: NewNote): Promise<string> {
  const input = { title: day, folder_id: folder, ...(await dailyContent(timezone)) };
  const send = (key: string): Promise<Document> =>
    retryUntilAnswered(() => documentsApi.create(input, key, { changes }));
  const another = async () => (await send(`daily-note:${day}:${randomId()}`)).id;
  try {
    const { id } = await oncePerDay(`daily-note:${day}`, send);
    // This may be the stored response to an earlier request today, whose note is in the trash by now.
    return (await exists(id)) ? id : await another();
  } catch (problem) {
    // Another tab sent a different body with this key, such as another time. Its note exists, unless it was deleted.
    if (!isApiError(problem, 422)) throw problem;
    return (await findNote(day, folder)) ?? another();
  }
}

let pending: Promise<boolean> | undefined;

/** Opens the note of a day, and creates it if necessary. */
export function openDailyNote(day: string, timezone: string, open: (id: string) => void): Promise<boolean> {
  pending ??= runWithToast(async (changes) => {
    const folder = await dailyFolder(day, changes);
    const existing = await findNote(day, folder);
    open(existing ?? (await createNote({ day, folder, timezone, changes })));
    return existing === undefined ? `“${day}” created in ${DAILY}` : undefined;
  }).finally(() => {
    pending = undefined;
  });
  return pending;
}
