import { del, get, keys } from "idb-keyval";
import { useEffect, useState } from "react";
import type { Document } from "../api/documents.ts";
import { setValue } from "./account-storage.ts";
import { createSharedState } from "./shared-state.ts";

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
  like?: CopiedFields | undefined;
  /** New document: the request that creates it, until it is answered. */
  creation?: CreateRequest | undefined;
  /** Sent without an answer: the server may have stored any of these. */
  sent?: { title: string; text: string }[] | undefined;
  /** Writers of other drafts merged into this one. A page that closes during the merge leaves both. */
  includes?: string[] | undefined;
  /** A version that changed the same passage, while the user has to resolve the conflict. */
  theirs?: ConflictingVersion | undefined;
  /** Why the server rejected it; it waits for a decision of the user. */
  refused?: string | undefined;
};

/** The version that changed the same passage, and the latest version known to still contain that change. */
export type ConflictingVersion = Pick<Document, "id" | "version" | "updated_at"> & { latest: number };

/** A request that creates a document. Repeated with the same key and body, it creates no second one. */
export type CreateRequest = {
  key: string;
  /** When it was first sent, as an ISO timestamp. Missing in drafts of earlier versions of the app. */
  sent?: string;
  body: { title: string; content: Record<string, unknown>; folder_id: string | null; tags?: string[] };
};

/** What a new document takes from the document it is made from. */
export type CopiedFields = {
  kind: "markdown" | "text" | "json";
  tags: string[];
  content: Record<string, unknown>;
};

/**
 * Identifies a draft: the account, the document ("new" if it does not exist yet) and the writer, since two tabs may edit one
 * document. Earlier versions of the app had one draft per document: its writer is "".
 */
export type DraftPlace = { owner: string; id: string; writer: string };

const PREFIX = "draft:";
export const draftKey = ({ owner, id, writer }: DraftPlace) =>
  [`${PREFIX}${owner}`, id, ...(writer ? [writer] : [])].join(":");

function parseDraftKey(key: string): DraftPlace {
  const [owner = "", id = "", writer = ""] = key.slice(PREFIX.length).split(":");
  return { owner, id, writer };
}

export const draftUrl = ({ id, writer }: DraftPlace): string =>
  id === "new" ? `/documents/new?draft=${writer}` : `/documents/${id}`;

/** Counts saved, deleted and released drafts in this tab. */
const changes = createSharedState(0);
export const announceChange = () => changes.set(changes.get() + 1);

/**
 * Saves a draft. Rejects where IndexedDB is unavailable, such as in a private window.
 *
 * @param isAnnounced false avoids waking the sender, which would send the draft again
 */
export async function saveDraft(place: DraftPlace, draft: Draft, isAnnounced = true): Promise<void> {
  const key = draftKey(place);
  const left = localStorage.getItem(key);
  await setValue(key, draft);
  // A page that unloads in the meantime leaves a newer one there.
  if (localStorage.getItem(key) === left) localStorage.removeItem(key);
  if (isAnnounced) announceChange();
}

function readSyncDraft(key: string): Draft | undefined {
  const text = localStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as Draft);
}

export async function readDraft(place: DraftPlace): Promise<Draft | undefined> {
  const key = draftKey(place);
  const kept = await get<Draft>(key).catch(() => undefined);
  const left = readSyncDraft(key);
  return left && (!kept || left.at >= kept.at) ? left : kept;
}

export async function deleteDraft(place: DraftPlace): Promise<void> {
  const key = draftKey(place);
  localStorage.removeItem(key);
  await del(key).catch(() => undefined);
  announceChange();
}

export const belongsTo = (owner: string) => (key: IDBValidKey) =>
  String(key).startsWith(`${PREFIX}${owner}:`);

async function draftPlaces(owner: string): Promise<DraftPlace[]> {
  const all = [...Object.keys(localStorage), ...(await keys().catch(() => []))].filter(belongsTo(owner));
  return [...new Set(all.map(String))].map(parseDraftKey);
}

/** How many editors of this tab hold each draft. */
export const heldDrafts = new Map<string, number>();

/** Drafts of this tab that are being stored before they are released. */
export const releases = new Set<Promise<unknown>>();

/** Drafts being edited in any tab. Senders use exclusive locks. Without the Locks API only this tab is known. */
export async function lockedDraftKeys(): Promise<Set<string>> {
  await Promise.all(releases);
  const here = [...heldDrafts].flatMap(([key, count]) => (count > 0 ? [key] : []));
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const written = held.filter(({ mode }) => mode === "shared");
  return new Set([...here, ...written.map(({ name = "" }) => name)]);
}

/** Whether the current page is about to open this draft in its editor. */
function isOpening({ owner, id, writer }: DraftPlace): boolean {
  if (location.pathname !== `/documents/${id}`) return false;
  const query = new URLSearchParams(location.search);
  if (id === "new") return query.get("draft") === writer;
  const isHeld = [...heldDrafts].some(
    ([key, count]) => count > 0 && key.startsWith(draftKey({ owner, id, writer: "" })),
  );
  return !isHeld && query.has("edit");
}

/** Rerenders whenever a draft is saved, deleted or released. */
export const useDraftChanges = changes.use;

export type StoredDraft = Draft & { place: DraftPlace };

async function readDrafts(places: readonly DraftPlace[]): Promise<StoredDraft[]> {
  const drafts = await Promise.all(places.map(async (place) => ({ place, draft: await readDraft(place) })));
  return drafts
    .flatMap(({ place, draft }) => (draft ? [{ ...draft, place }] : []))
    .sort((one, other) => (one.at < other.at ? 1 : -1));
}

/** Finishes interrupted merges: a draft whose text is already part of another one is deleted. */
async function mergeIncludedDrafts(drafts: readonly StoredDraft[]): Promise<StoredDraft[]> {
  const isPart = (one: StoredDraft, { place, includes = [] }: StoredDraft) =>
    place.id === one.place.id && includes.includes(one.place.writer);
  const parts = drafts.filter((one) => drafts.some((other) => isPart(one, other)));
  for (const part of parts) {
    const whole = drafts.find((other) => isPart(part, other)) as StoredDraft;
    const { place, ...draft } = whole;
    whole.sent = [...(part.sent ?? []), ...(draft.sent ?? [])];
    await saveDraft(place, { ...draft, sent: whole.sent }, false);
    await deleteDraft(part.place);
  }
  return drafts.filter((one) => !parts.includes(one));
}

/** Drafts that are not being edited, newest first. */
export async function unlockedDrafts(owner: string): Promise<StoredDraft[]> {
  const [held, places] = await Promise.all([lockedDraftKeys(), draftPlaces(owner)]);
  const unlocked = places.filter((place) => !held.has(draftKey(place)));
  return mergeIncludedDrafts(await readDrafts(unlocked));
}

/** Drafts that are neither being edited nor about to be opened, newest first. */
export const waitingDrafts = async (owner: string): Promise<StoredDraft[]> =>
  (await unlockedDrafts(owner)).filter(({ place }) => !isOpening(place));

const waits = createSharedState(false);
/** Sets whether drafts have to wait for the server, as opposed to being sent in a moment. */
export const setDraftsWait = waits.set;
export const useDraftsWait = waits.use;

/** Drafts of this account that are not being edited, newest first. */
export function useStoredDrafts(owner: string | undefined): readonly StoredDraft[] {
  const times = changes.use();
  const isWaiting = waits.use();
  const [drafts, setDrafts] = useState<readonly StoredDraft[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again whenever a draft was saved, deleted or released in this tab
  useEffect(() => {
    let isCurrent = true;
    if (owner) void waitingDrafts(owner).then((found) => isCurrent && setDrafts(found));
    return () => {
      isCurrent = false;
    };
  }, [owner, times, isWaiting]);
  return drafts;
}
