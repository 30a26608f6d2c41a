import { clear, createStore, delMany, entries, get, keys, update } from "idb-keyval";
import { set, setMany } from "./keep.ts";

// Where copies are kept on this device: encrypted with a key that the browser uses and never shows, so that who reads the
// disk has nothing of them.

/** What is known of a copy without reading it. `at`: when it was an answer, in milliseconds. */
export type Fact = { at: number; bytes: number; isChosen: boolean };
export type Facts = ReadonlyMap<string, Fact>;

type Sealed = { iv: Uint8Array<ArrayBuffer>; data: ArrayBuffer };

const answers = createStore("commonplace-copies", "answers");
const facts = createStore("commonplace-copies-facts", "facts");
const keyStore = createStore("commonplace-copies-key", "key");

const ALGORITHM = "AES-GCM";
const IV_BYTES = 12;

let key: Promise<CryptoKey> | undefined;

/** Made once in a browser, whichever tab is first. */
async function readKey(): Promise<CryptoKey> {
  const known = await get<CryptoKey>("key", keyStore);
  if (known) return known;
  const made = await crypto.subtle.generateKey({ name: ALGORITHM, length: 256 }, false, [
    "encrypt",
    "decrypt",
  ]);
  await update<CryptoKey>("key", (before) => before ?? made, keyStore);
  return (await get<CryptoKey>("key", keyStore)) ?? made;
}

const ownKey = (): Promise<CryptoKey> => {
  key ??= readKey();
  return key;
};

const isSealed = (kept: unknown): kept is Sealed =>
  typeof kept === "object" && kept !== null && "iv" in kept && "data" in kept;

/** Browsers have no keys on a page that was loaded over HTTP from another machine. */
const canSeal = () => "subtle" in crypto;

async function sealed(text: Uint8Array<ArrayBuffer>): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  return { iv, data: await crypto.subtle.encrypt({ name: ALGORITHM, iv }, await ownKey(), text) };
}

async function opened({ iv, data }: Sealed): Promise<unknown> {
  const text = await crypto.subtle.decrypt({ name: ALGORITHM, iv }, await ownKey(), data);
  return JSON.parse(new TextDecoder().decode(text));
}

/** Keeps an answer, and returns what is known of it. Rejects in a browser that keeps nothing, such as in a private window, and when there is no room. */
export async function putCopy(name: string, answer: unknown, isChosen: boolean): Promise<Fact> {
  const text = new TextEncoder().encode(JSON.stringify(answer));
  const fact = { at: Date.now(), bytes: text.byteLength, isChosen };
  // First, because a copy of which nothing is known is taken for one of an earlier version.
  await set(name, fact, facts);
  await set(name, canSeal() ? await sealed(text) : answer, answers);
  return fact;
}

/** A copy; undefined if there is none that can be read. Earlier versions of the app did not encrypt them. */
export async function getCopy<Answer>(name: string): Promise<Answer | undefined> {
  const kept = await get<unknown>(name, answers).catch(() => undefined);
  return (isSealed(kept) ? await opened(kept).catch(() => undefined) : kept) as Answer | undefined;
}

/** What is known of every copy. Earlier versions of the app kept only what somebody had chosen, and noted nothing. */
export async function readFacts(): Promise<Facts> {
  const all = new Map((await entries<string, Fact>(facts).catch(() => [])) as [string, Fact][]);
  const named = await keys<string>(answers).catch(() => []);
  const unknown = named.filter((name) => !all.has(name));
  const noted = unknown.map((name): [string, Fact] => [name, { at: Date.now(), bytes: 0, isChosen: true }]);
  if (noted.length > 0) await setMany(noted, facts).catch(() => undefined);
  const isThere = new Set(named);
  return new Map([...all, ...noted].filter(([name]) => isThere.has(name)));
}

export async function dropSome(names: string[]): Promise<void> {
  if (names.length === 0) return;
  await delMany(names, answers).catch(() => undefined);
  await delMany(names, facts).catch(() => undefined);
}

/** Deletes everything that is kept, and the key. */
export async function dropAll(): Promise<void> {
  key = undefined;
  for (const store of [answers, facts, keyStore]) await clear(store).catch(() => undefined);
}
