import { del, delMany, get, keys } from "idb-keyval";
import { useEffect, useRef, useState } from "react";
import type { Document } from "../api/documents.ts";
import { note, set } from "./keep.ts";
import { storeOf } from "./store.ts";

// What somebody has written and not saved, kept in this browser.

export type Draft = {
  title: string;
  text: string;
  /** The document that it changes; none for a new one. */
  base: Document | undefined;
  /** When it was last written, as an instant. */
  at: string;
  /** Of a new one: the query of the address that gave its beginning. */
  from?: string | undefined;
  /** What a new one has of its template, besides title and text. */
  like?: Like | undefined;
  /** The request that creates it, while its answer has not come. */
  creation?: Creation | undefined;
  /** What was sent and not answered: the service may have one of these. */
  sent?: { title: string; text: string }[] | undefined;
  /** Whose text is in this one, too: their writers. A page that ends before both are one leaves both. */
  includes?: string[] | undefined;
  /** Who has changed the same passage, if somebody has to decide. */
  theirs?: Theirs | undefined;
  /** Why the service did not take it: it waits for somebody to decide. */
  refused?: string | undefined;
};

/** The version in which somebody else has changed the same passage, and the latest that is known to have it still. */
export type Theirs = Pick<Document, "id" | "version" | "updated_at"> & { latest: number };

/** A request that creates a document: repeated with its key and exactly its body, it makes no second one. */
export type Creation = {
  key: string;
  /** When it was first sent, as an instant. Earlier versions of the app did not note it. */
  sent?: string;
  body: { title: string; content: Record<string, unknown>; folder_id: string | null; tags?: string[] };
};

/** What a document has of the one from which it is made. */
export type Like = { kind: "markdown" | "text" | "json"; tags: string[]; content: Record<string, unknown> };

/**
 * Where a draft is kept: for an account, a document ("new" for one that does not exist yet) and who writes it, because two
 * tabs may write one document. Earlier versions of the app had one draft of each document: its writer is "".
 */
export type Place = { owner: string; id: string; writer: string };

const PREFIX = "draft:";
const keyOf = ({ owner, id, writer }: Place) =>
  [`${PREFIX}${owner}`, id, ...(writer ? [writer] : [])].join(":");

function placeOf(key: string): Place {
  const [owner = "", id = "", writer = ""] = key.slice(PREFIX.length).split(":");
  return { owner, id, writer };
}

/** The address under which a draft is written on. */
export const addressOfDraft = ({ id, writer }: Place): string =>
  id === "new" ? `/documents/new?draft=${writer}` : `/documents/${id}`;

/** How often a draft has been kept, dropped or left in this tab. */
const changes = storeOf(0);
const changed = () => changes.set(changes.get() + 1);

/**
 * Keeps a draft. Rejects in a browser that keeps nothing, such as in a private window.
 *
 * @param isTold whether it is news: who sends a draft would send it again for it
 */
export async function keepDraft(place: Place, draft: Draft, isTold = true): Promise<void> {
  const key = keyOf(place);
  await set(key, draft);
  localStorage.removeItem(key);
  if (isTold) changed();
}

/** Keeps a draft while the page is being left: the browser does not wait for IndexedDB then. */
export function keepDraftAtOnce(place: Place, draft: Draft): void {
  try {
    note(keyOf(place), JSON.stringify(draft));
  } catch {
    // Too long, or nothing may be kept: IndexedDB is tried as well.
  }
}

function leftBehind(key: string): Draft | undefined {
  const text = localStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as Draft);
}

/** The draft at a place; undefined if there is none. */
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

/** The drafts that somebody in this tab writes on. */
const heldHere = new Map<string, number>();

/** Somebody writes on a draft: nobody else does, or sends it, until the function that is returned has been called. */
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

/** What somebody writes on in any tab: who only sends a draft has a lock of its own. Without locks, only this tab is known. */
async function heldKeys(): Promise<Set<string>> {
  const here = [...heldHere].flatMap(([key, count]) => (count > 0 ? [key] : []));
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const written = held.filter(({ mode }) => mode === "shared");
  return new Set([...here, ...written.map(({ name = "" }) => name)]);
}

/** Whether the page is one on which a draft is about to be taken up. */
function isOpening({ owner, id, writer }: Place): boolean {
  if (location.pathname !== `/documents/${id}`) return false;
  const query = new URLSearchParams(location.search);
  if (id === "new") return query.get("draft") === writer;
  const isHeld = [...heldHere].some(
    ([key, count]) => count > 0 && key.startsWith(keyOf({ owner, id, writer: "" })),
  );
  return !isHeld && query.has("edit");
}

/** Renders again whenever a draft has been kept, dropped or left. */
export const useDraftChanges = changes.use;

/** Works with a draft unless somebody writes on it. */
export async function withDraft(place: Place, work: () => Promise<void>): Promise<void> {
  const key = keyOf(place);
  if (heldHere.get(key)) return;
  if (!navigator.locks) return work();
  await navigator.locks.request(key, { ifAvailable: true }, (lock) => (lock ? work() : undefined));
}

/** Forgets the drafts of an account. */
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

/** Of two drafts that a page has left while one was being added to the other, the one that has both texts. */
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

/** The drafts that nobody writes on, the newest first. */
async function freeDrafts(owner: string): Promise<Kept[]> {
  const held = await heldKeys();
  return joined(await readDrafts((await placesOf(owner)).filter((place) => !held.has(keyOf(place)))));
}

/** The drafts of an account that nobody writes on or is about to, the newest first. */
export const keptDrafts = async (owner: string): Promise<Kept[]> =>
  (await freeDrafts(owner)).filter(({ place }) => !isOpening(place));

/** The draft of a document, or of one writer, that was kept last, of those that nobody writes on. */
export async function findDraft(owner: string, id: string, writer?: string): Promise<Kept | undefined> {
  const isWanted = ({ place }: Kept) => place.id === id && (writer === undefined || place.writer === writer);
  return (await freeDrafts(owner)).find(isWanted);
}

/** A draft of this account that nobody writes on, once it has been looked for. `isHeld`: its writer writes on it somewhere. */
export function useDocumentDraft(owner: string, id: string, writer?: string) {
  const [found, setFound] = useState<{ draft: Kept | undefined; isHeld: boolean }>();
  const times = changes.use();
  const read = useRef(async () => {});
  read.current = async () => {
    const isHeld = writer !== undefined && (await heldKeys()).has(keyOf({ owner, id, writer }));
    setFound({ draft: await findDraft(owner, id, writer), isHeld });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` always reads what is current
  useEffect(() => void read.current(), [owner, id, writer, times]);
  return { isRead: found !== undefined, draft: found?.draft, isHeld: found?.isHeld ?? false };
}

const waits = storeOf(false);
/** Says whether what is kept has to wait for the service, rather than being sent in a moment. */
export const tellWaiting = waits.set;
/** Whether what is kept has to wait for the service. */
export const useTextsWait = waits.use;

/** The drafts of this account that nobody writes on, the newest first: read again whenever one was kept or dropped. */
export function useKeptDrafts(owner: string | undefined): readonly Kept[] {
  const times = changes.use();
  const [drafts, setDrafts] = useState<readonly Kept[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again whenever a draft was kept or dropped
  useEffect(() => {
    if (owner) void keptDrafts(owner).then(setDrafts);
  }, [owner, times]);
  return drafts;
}

/** Lets a draft be sent again that was refused. */
export const sendDraftAgain = ({ place, ...draft }: Kept): Promise<void> =>
  keepDraft(place, { ...draft, refused: undefined });

/** Makes a draft that of a document of its own, whose first text it is. */
export async function makeDraftNew({ place, ...draft }: Kept, kind: Like["kind"]): Promise<Place> {
  const { base, refused: _, sent: __, ...rest } = draft;
  const like = base && { kind, tags: base.tags, content: base.content ?? {} };
  const next = { ...place, id: "new" };
  await keepDraft(next, { ...rest, base: undefined, like, sent: [] });
  await dropDraft(place);
  return next;
}
