// A sketch represents a text by the smallest hashes of its words and of its pairs of adjacent words. For short texts it
// contains all hashes and comparisons are exact; for long ones they are estimates (bottom-k sketches: Cohen and Kaplan,
// "Summarizing data using bottom-k sketches", PODC 2007).

/** Maximum number of hashes of each kind in a sketch. */
export const SKETCH_SIZE = 64;

/** A 24-bit hash, which fits into four characters of base64: FNV-1a with the finalizer of MurmurHash3. */
export function hash24(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash) >>> 8;
}

function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

const hashPair = (one: number, other: number) => mix(Math.imul(one, 31) ^ Math.imul(other, 0x9e3779b1)) >>> 8;

const smallest = (hashes: ReadonlySet<number>): Uint32Array =>
  Uint32Array.from(hashes).sort().slice(0, SKETCH_SIZE);

export type Sketch = { words: Uint32Array; pairs: Uint32Array };

export function makeSketch(words: readonly number[]): Sketch {
  const pairs = new Set<number>();
  for (let at = 1; at < words.length; at++) pairs.add(hashPair(words[at - 1] ?? 0, words[at] ?? 0));
  return { words: smallest(new Set(words)), pairs: smallest(pairs) };
}

export const isCompleteSketch = ({ words, pairs }: Sketch): boolean =>
  words.length < SKETCH_SIZE && pairs.length < SKETCH_SIZE;

/** Among the `max` smallest distinct values of two ascending lists: how many there are, and how many are in both. */
function compare(one: Uint32Array, other: Uint32Array, max: number): { all: number; shared: number } {
  let [all, shared, at, to] = [0, 0, 0, 0];
  while (all < max && (at < one.length || to < other.length)) {
    const [a, b] = [one[at] ?? Number.POSITIVE_INFINITY, other[to] ?? Number.POSITIVE_INFINITY];
    all++;
    if (a === b) shared++;
    if (a <= b) at++;
    if (b <= a) to++;
  }
  return { all, shared };
}

/** The likeness of two texts from 0 to 1: the share of all words and pairs that is in both (Jaccard). */
export function likeness(one: Sketch, other: Sketch): number {
  const max = isCompleteSketch(one) && isCompleteSketch(other) ? Number.POSITIVE_INFINITY : SKETCH_SIZE;
  const words = compare(one.words, other.words, max);
  const pairs = compare(one.pairs, other.pairs, max);
  const all = words.all + pairs.all;
  return all === 0 ? 1 : (words.shared + pairs.shared) / all;
}

/** Number of words in both texts and in only one of them. Exact for short texts. */
export function countShared(
  one: Uint32Array,
  other: Uint32Array,
): { both: number; mine: number; theirs: number } {
  const both = compare(one, other, Number.POSITIVE_INFINITY).shared;
  return { both, mine: one.length - both, theirs: other.length - both };
}

/** Encodes hashes as text, four characters each. */
export function packHashes(hashes: Uint32Array): string {
  const bytes = new Uint8Array(hashes.length * 3);
  for (const [index, hash] of hashes.entries()) {
    bytes[3 * index] = hash >>> 16;
    bytes[3 * index + 1] = hash >>> 8;
    bytes[3 * index + 2] = hash;
  }
  return btoa(String.fromCharCode(...bytes));
}

export function unpackHashes(text: string): Uint32Array {
  const bytes = atob(text);
  const byte = (index: number) => bytes.charCodeAt(index);
  return Uint32Array.from({ length: bytes.length / 3 }, (_, index) => {
    const at = 3 * index;
    return (byte(at) << 16) | (byte(at + 1) << 8) | byte(at + 2);
  });
}
