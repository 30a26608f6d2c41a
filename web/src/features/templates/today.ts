import { isSameName } from "../../../../src/contract/name-key.ts";
import { type Document, documentsApi } from "../../api/documents.ts";
import { foldersApi } from "../../api/folders.ts";
import { untilAnswered } from "../../api/persist.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError } from "../../api/request.ts";
import { searchApi } from "../../api/search.ts";
import { attempt } from "../../state/attempt.ts";
import { queries } from "../../state/queries.ts";
import type { Changes } from "../../state/undo.ts";
import { ALL_FOLDERS } from "../folders/folders.ts";
import { beginningOf } from "./beginning.ts";
import { foldersNamed, readTemplates } from "./templates.ts";

// One note for each day, in the folder Daily. Every tab and every attempt asks for it under a key that is made of the day,
// so that the service creates it once.

const DAILY = "Daily";

/** Carries out a request under a key of the day, or under another one if what that has made was deleted since. */
async function onceADay<T>(key: string, send: (key: string) => Promise<T>): Promise<T> {
  try {
    return await send(key);
  } catch (problem) {
    if (!isApiError(problem, 410)) throw problem;
    return send(`${key}:${randomId()}`);
  }
}

async function dailyFolder(day: string, changes: Changes): Promise<string> {
  const [known] = foldersNamed(await queries.fetchQuery({ ...ALL_FOLDERS, staleTime: 0 }), DAILY);
  if (known) return known.id;
  const input = { name: DAILY, parent_id: null };
  const send = (key: string) => foldersApi.createOnce(input, key, { changes });
  return (await onceADay(`daily-folder:${day}`, send)).id;
}

/** The oldest document with the day as its title; undefined if there is none. */
async function noteOf(day: string, folder: string): Promise<string | undefined> {
  const { results } = await searchApi.search({ q: `title:"${day}"`, folder_id: folder, limit: 100 });
  const ids = results.flatMap((result) =>
    "document" in result && result.document.title === day ? [result.document.id] : [],
  );
  return ids.sort()[0];
}

/** What the template called Daily says; nothing if there is none. */
async function dailyBeginning(timezone: string) {
  const template = (await readTemplates()).find(({ title }) => isSameName(title, DAILY));
  if (!template) return { tags: [], content: { format: "markdown", text: "" } };
  const { tags, content } = beginningOf(await documentsApi.get(template.id), timezone);
  return { tags, content };
}

const isThere = (id: string) =>
  documentsApi.get(id).then(
    () => true,
    (problem: unknown) => {
      if (!isApiError(problem, 404)) throw problem;
      return false;
    },
  );

type Making = { day: string; folder: string; timezone: string; changes: Changes };

async function make({ day, folder, timezone, changes }: Making): Promise<string> {
  const input = { title: day, folder_id: folder, ...(await dailyBeginning(timezone)) };
  const send = (key: string): Promise<Document> =>
    untilAnswered(() => documentsApi.create(input, key, { changes }));
  const another = async () => (await send(`daily-note:${day}:${randomId()}`)).id;
  try {
    const { id } = await onceADay(`daily-note:${day}`, send);
    // It may be the answer to an earlier request of today, whose note is in the trash by now.
    return (await isThere(id)) ? id : await another();
  } catch (problem) {
    // Another tab has sent other words under this key, such as another time of day: its note is there, unless it was
    // deleted since.
    if (!isApiError(problem, 422)) throw problem;
    return (await noteOf(day, folder)) ?? another();
  }
}

let underWay: Promise<boolean> | undefined;

/** Opens the note of a day, which is made if there is none, or says why not. */
export function openNote(day: string, timezone: string, open: (id: string) => void): Promise<boolean> {
  underWay ??= attempt(async (changes) => {
    const folder = await dailyFolder(day, changes);
    const known = await noteOf(day, folder);
    open(known ?? (await make({ day, folder, timezone, changes })));
    return known === undefined ? `“${day}” created in ${DAILY}` : undefined;
  }).finally(() => {
    underWay = undefined;
  });
  return underWay;
}
