import { clear, createStore, delMany, entries, get, keys, update } from "idb-keyval";
import { setValue, setValues } from "./account-storage.ts";

// Storage of the copies, encrypted with a non-extractable key: reading the disk does not reveal them.

/** Metadata of a copy. `at`: when it was fetched, in milliseconds. `isChosen`: the user asked for it. */
export type CopyInfo = { at: number; bytes: number; isChosen: boolean };
export type CopyInfos = ReadonlyMap<string, CopyInfo>;

type Encrypted = { iv: Uint8Array<ArrayBuffer>; data: ArrayBuffer };

const answers = createStore("commonplace-copies", "answers");
const facts = createStore("commonplace-copies-facts", "facts");
const keyStore = createStore("commonplace-copies-key", "key");

const ALGORITHM = "AES-GCM";
const IV_BYTES = 12;

let key: Promise<CryptoKey> | undefined;

/** Created once per browser, by whichever tab is first. */
async function readOrCreateKey(): Promise<CryptoKey> {
  const known = await get<CryptoKey>("key", keyStore);
  if (known) return known;
  const algorithm = { name: ALGORITHM, length: 256 };
  const made = await crypto.subtle.generateKey(algorithm, false, ["encrypt", "decrypt"]);
  await update<CryptoKey>("key", (before) => before ?? made, keyStore);
  return (await get<CryptoKey>("key", keyStore)) ?? made;
}

const encryptionKey = (): Promise<CryptoKey> => {
  key ??= readOrCreateKey();
  return key;
};

const isEncrypted = (kept: unknown): kept is Encrypted =>
  typeof kept === "object" && kept !== null && "iv" in kept && "data" in kept;

/** Browsers offer no Web Crypto on pages loaded over HTTP from another machine. */
const canEncrypt = () => "subtle" in crypto;

async function encrypt(text: Uint8Array<ArrayBuffer>): Promise<Encrypted> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  return { iv, data: await crypto.subtle.encrypt({ name: ALGORITHM, iv }, await encryptionKey(), text) };
}

async function decrypt({ iv, data }: Encrypted): Promise<unknown> {
  const text = await crypto.subtle.decrypt({ name: ALGORITHM, iv }, await encryptionKey(), data);
  return JSON.parse(new TextDecoder().decode(text));
}

/** Stores a copy. Rejects where IndexedDB is unavailable, such as in a private window, or full. */
export async function putCopy(name: string, answer: unknown, isChosen: boolean): Promise<CopyInfo> {
  const text = new TextEncoder().encode(JSON.stringify(answer));
  const fact = { at: Date.now(), bytes: text.byteLength, isChosen };
  // Metadata first: a copy without it is taken for one of an earlier version.
  await setValue(name, fact, facts);
  await setValue(name, canEncrypt() ? await encrypt(text) : answer, answers);
  return fact;
}

/** Undefined if there is no readable copy. Earlier versions of the app did not encrypt copies. */
export async function getCopy<Answer>(name: string): Promise<Answer | undefined> {
  const kept = await get<unknown>(name, answers).catch(() => undefined);
  return (isEncrypted(kept) ? await decrypt(kept).catch(() => undefined) : kept) as Answer | undefined;
}

/** Metadata of all copies. Earlier versions of the app stored only chosen copies, and no metadata. */
export async function readCopyInfos(): Promise<CopyInfos> {
  const all = new Map((await entries<string, CopyInfo>(facts).catch(() => [])) as [string, CopyInfo][]);
  const named = await keys<string>(answers).catch(() => []);
  const info = { at: Date.now(), bytes: 0, isChosen: true };
  const noted = named.filter((name) => !all.has(name)).map((name): [string, CopyInfo] => [name, info]);
  if (noted.length > 0) await setValues(noted, facts).catch(() => undefined);
  const isThere = new Set(named);
  return new Map([...all, ...noted].filter(([name]) => isThere.has(name)));
}

export async function deleteStoredCopies(names: string[]): Promise<void> {
  if (names.length === 0) return;
  await delMany(names, answers).catch(() => undefined);
  await delMany(names, facts).catch(() => undefined);
}

export async function clearCopyStore(): Promise<void> {
  key = undefined;
  for (const store of [answers, facts, keyStore]) await clear(store).catch(() => undefined);
}
