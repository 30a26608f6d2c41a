import { del, delMany, get, keys } from "idb-keyval";
import { useEffect, useRef, useState } from "react";
import type { Document } from "../api/documents.ts";
import { note, set } from "./keep.ts";
import { storeOf } from "./store.ts";

// Unsaved texts of documents, in this browser.

export type Draft = {
  title: string;
  text: string;
  /** The document that it changes; undefined for a new one. */
  base: Document | undefined;
  /** When it was last changed, as an ISO timestamp. */
  at: string;
  /** New document: the query of the URL that it was started from. */
  from?: string | undefined;
  /** New document: what it takes from its template besides title and text. */
  like?: Like | undefined;
  /** New document: the request that creates it, until it is answered. */
  creation?: Creation | undefined;
  /** Sent without an answer: the server may have stored any of these. */
  sent?: { title: string; text: string }[] | undefined;
  /** Writers of other drafts merged into this one. A page that closes during the merge leaves both. */
  includes?: string[] | undefined;
  /** A version that changed the same passage, while the user has to resolve the conflict. */
  theirs?: Theirs | undefined;
  /** Why the server rejected it; it waits for a decision of the user. */
  refused?: string | undefined;
};

/** The version that changed the same passage, and the latest version known to still contain that change. */
export type Theirs = Pick<Document, "id" | "version" | "updated_at"> & { latest: number };

/** A request that creates a document. Repeated with the same key and body, it creates no second one. */
export type Creation = {
  key: string;
  /** When it was first sent, as an ISO timestamp. Missing in drafts of earlier versions of the app. */
  sent?: string;
  body: { title: string; content: Record<string, unknown>; folder_id: string | null; tags?: string[] };
};

/** What a new document takes from the document it is made from. */
export type Like = { kind: "markdown" | "text" | "json"; tags: string[]; content: Record<string, unknown> };

/**
 * Identifies a draft: the account, the document ("new" if it does not exist yet) and the writer, since two tabs may edit one
 * document. Earlier versions of the app had one draft per document: its writer is "".
 */
export type Place = { owner: string; id: string; writer: string };

const PREFIX = "draft:";
const keyOf = ({ owner, id, writer }: Place) =>
  [`${PREFIX}${owner}`, id, ...(writer ? [writer] : [])].join(":");

function placeOf(key: string): Place {
  const [owner = "", id = "", writer = ""] = key.slice(PREFIX.length).split(":");
  return { owner, id, writer };
}

/** Where a draft can be edited. */
export const addressOfDraft = ({ id, writer }: Place): string =>
  id === "new" ? `/documents/new?draft=${writer}` : `/documents/${id}`;

/** Counts saved, deleted and released drafts in this tab. */
const changes = storeOf(0);
const changed = () => changes.set(changes.get() + 1);

/**
 * Saves a draft. Rejects where IndexedDB is unavailable, such as in a private window.
 *
 * @param isAnnounced false avoids waking the sender, which would send the draft again
 */
export async function keepDraft(place: Place, draft: Draft, isTold = true): Promise<void> {
  const key = keyOf(place);
  await set(key, draft);
  localStorage.removeItem(key);
  if (isTold) changed();
}

/** Saves a draft while the page unloads, when the browser no longer waits for IndexedDB. */
export function keepDraftAtOnce(place: Place, draft: Draft): void {
  try {
    note(keyOf(place), JSON.stringify(draft));
  } catch {
    // Too long, or storage is unavailable. IndexedDB is tried as well.
  }
}

function leftBehind(key: string): Draft | undefined {
  const text = localStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as Draft);
}

export async function readDraft(place: Place): Promise<Draft | undefined> {
  const key = keyOf(place);
  const kept = await get<Draft>(key).catch(() => undefined);
  const left = leftBehind(key);
  return left && (!kept || left.at > kept.at) ? left : kept;
}

export async function dropDraft(place: Place): Promise<void> {
  const key = keyOf(place);
  localStorage.removeItem(key);
  await del(key).catch(() => undefined);
  changed();
}

const isOf = (owner: string) => (key: IDBValidKey) => String(key).startsWith(`${PREFIX}${owner}:`);

async function placesOf(owner: string): Promise<Place[]> {
  const all = [...Object.keys(localStorage), ...(await keys().catch(() => []))].filter(isOf(owner));
  return [...new Set(all.map(String))].map(placeOf);
}

/** How many editors of this tab hold each draft. */
const heldHere = new Map<string, number>();

/** Marks a draft as being edited, so that it is neither edited elsewhere nor sent. Returns a function that releases it. */
export function holdDraft(place: Place): () => void {
  const key = keyOf(place);
  const { promise, resolve } = Promise.withResolvers<void>();
  heldHere.set(key, (heldHere.get(key) ?? 0) + 1);
  void navigator.locks?.request(key, { mode: "shared" }, () => promise);
  return () => {
    heldHere.set(key, (heldHere.get(key) ?? 1) - 1);
    resolve();
    changed();
  };
}

/** Drafts being edited in any tab. Senders use exclusive locks. Without the Locks API only this tab is known. */
async function heldKeys(): Promise<Set<string>> {
  const here = [...heldHere].flatMap(([key, count]) => (count > 0 ? [key] : []));
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const written = held.filter(({ mode }) => mode === "shared");
  return new Set([...here, ...written.map(({ name = "" }) => name)]);
}

/** Whether the current page is about to open this draft in its editor. */
function isOpening({ owner, id, writer }: Place): boolean {
  if (location.pathname !== `/documents/${id}`) return false;
  const query = new URLSearchParams(location.search);
  if (id === "new") return query.get("draft") === writer;
  const isHeld = [...heldHere].some(
    ([key, count]) => count > 0 && key.startsWith(keyOf({ owner, id, writer: "" })),
  );
  return !isHeld && query.has("edit");
}

/** Rerenders whenever a draft is saved, deleted or released. */
export const useDraftChanges = changes.use;

/** Runs `work` unless the draft is being edited. */
export async function withDraft(place: Place, work: () => Promise<void>): Promise<void> {
  const key = keyOf(place);
  if (heldHere.get(key)) return;
  if (!navigator.locks) return work();
  await navigator.locks.request(key, { ifAvailable: true }, (lock) => (lock ? work() : undefined));
}

/** Deletes all drafts of an account. */
export async function forgetDocumentDrafts(owner: string): Promise<void> {
  for (const key of Object.keys(localStorage).filter(isOf(owner))) localStorage.removeItem(key);
  await delMany((await keys()).filter(isOf(owner)));
}

export type Kept = Draft & { place: Place };

async function readDrafts(places: readonly Place[]): Promise<Kept[]> {
  const drafts = await Promise.all(
    places.map(async (place) => {
      const draft = await readDraft(place);
      return draft ? [{ ...draft, place }] : [];
    }),
  );
  return drafts.flat().sort((one, other) => (one.at < other.at ? 1 : -1));
}

/** Finishes interrupted merges: a draft whose text is already part of another one is deleted. */
async function joined(drafts: readonly Kept[]): Promise<Kept[]> {
  const isPart = (one: Kept, { place, includes = [] }: Kept) =>
    place.id === one.place.id && includes.includes(one.place.writer);
  const parts = drafts.filter((one) => drafts.some((other) => isPart(one, other)));
  for (const part of parts) {
    const whole = drafts.find((other) => isPart(part, other)) as Kept;
    const { place, ...draft } = whole;
    whole.sent = [...(part.sent ?? []), ...(draft.sent ?? [])];
    await keepDraft(place, { ...draft, sent: whole.sent }, false);
    await dropDraft(part.place);
  }
  return drafts.filter((one) => !parts.includes(one));
}

/** Drafts that are not being edited, newest first. */
async function freeDrafts(owner: string): Promise<Kept[]> {
  const held = await heldKeys();
  return joined(await readDrafts((await placesOf(owner)).filter((place) => !held.has(keyOf(place)))));
}

/** Drafts that are neither being edited nor about to be opened, newest first. */
export const keptDrafts = async (owner: string): Promise<Kept[]> =>
  (await freeDrafts(owner)).filter(({ place }) => !isOpening(place));

/** The latest draft of a document, or of one of its writers, that is not being edited. */
export async function findDraft(owner: string, id: string, writer?: string): Promise<Kept | undefined> {
  const isWanted = ({ place }: Kept) => place.id === id && (writer === undefined || place.writer === writer);
  return (await freeDrafts(owner)).find(isWanted);
}

/** A draft that is not being edited. `isRead`: the search is done. `isHeld`: this writer's draft is open in some editor. */
export function useDocumentDraft(owner: string, id: string, writer?: string) {
  const [found, setFound] = useState<{ draft: Kept | undefined; isHeld: boolean }>();
  const times = changes.use();
  const read = useRef(async () => {});
  read.current = async () => {
    const isHeld = writer !== undefined && (await heldKeys()).has(keyOf({ owner, id, writer }));
    setFound({ draft: await findDraft(owner, id, writer), isHeld });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` always uses the current values
  useEffect(() => void read.current(), [owner, id, writer, times]);
  return { isRead: found !== undefined, draft: found?.draft, isHeld: found?.isHeld ?? false };
}

const waits = storeOf(false);
/** Sets whether drafts have to wait for the server, as opposed to being sent in a moment. */
export const tellWaiting = waits.set;
export const useTextsWait = waits.use;

/** Drafts of this account that are not being edited, newest first. */
export function useKeptDrafts(owner: string | undefined): readonly Kept[] {
  const times = changes.use();
  const [drafts, setDrafts] = useState<readonly Kept[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again whenever a draft was saved or deleted
  useEffect(() => {
    if (owner) void keptDrafts(owner).then(setDrafts);
  }, [owner, times]);
  return drafts;
}

/** Lets a rejected draft be sent again. */
export const sendDraftAgain = ({ place, ...draft }: Kept): Promise<void> =>
  keepDraft(place, { ...draft, refused: undefined });

/** Turns a draft into that of a new document. */
export async function makeDraftNew({ place, ...draft }: Kept, kind: Like["kind"]): Promise<Place> {
  const { base, refused: _, sent: __, ...rest } = draft;
  const like = base && { kind, tags: base.tags, content: base.content ?? {} };
  const next = { ...place, id: "new" };
  await keepDraft(next, { ...rest, base: undefined, like, sent: [] });
  await dropDraft(place);
  return next;
}
