import type { Steps } from "../../../../shared/text/steps.ts";
import type { Meter } from "../meter.ts";
import { PdfReader, type PdfValue, PdfWord } from "./objects.ts";

/** The codes of a font and the characters that they stand for (ISO 32000-1, 9.10.3). */
export type CodeMap = {
  characters: Map<number, string>;
  /** number of entries added, including repeated ones */
  entryCount: number;
  /** length of codes in bytes by first byte; undefined if not declared */
  lengths: number[] | undefined;
};

const MAX_CODES = 200_000;

const codeOf = (bytes: Uint8Array) => bytes.reduce((sum, byte) => sum * 256 + byte, 0);
const isBytes = (value: PdfValue | undefined): value is Uint8Array => value instanceof Uint8Array;

/** Decodes the characters of a map, which are UTF-16BE. */
function decodeCharacters(bytes: Uint8Array): string {
  if (bytes.length === 1) return String.fromCharCode(bytes[0] ?? 0);
  return new TextDecoder("utf-16be").decode(bytes.subarray(0, 64));
}

/** The characters that follow `first`, whose last unit is incremented. */
function offsetCharacters(first: string, by: number): string {
  const last = first.length - 1;
  return first.slice(0, last) + String.fromCharCode((first.charCodeAt(last) + by) & 0xffff);
}

function addEntry(map: CodeMap, code: number, characters: string): void {
  map.entryCount++;
  if (map.entryCount <= MAX_CODES) map.characters.set(code, characters);
}

/** Adds a range between `beginbfrange` and `endbfrange`. */
function addRange(map: CodeMap, [low, high, to]: PdfValue[]): void {
  if (!isBytes(low) || !isBytes(high)) return;
  const from = codeOf(low);
  const until = Math.min(codeOf(high), from + 65_535, from + MAX_CODES - map.entryCount);
  const first = isBytes(to) ? decodeCharacters(to) : undefined;
  for (let code = from; code <= until; code++) {
    const one = Array.isArray(to) ? to[code - from] : undefined;
    if (first !== undefined) addEntry(map, code, offsetCharacters(first, code - from));
    else if (isBytes(one)) addEntry(map, code, decodeCharacters(one));
  }
}

function addCodeSpace(map: CodeMap, low: PdfValue | undefined, high: PdfValue | undefined): void {
  if (!isBytes(low) || !isBytes(high) || low.length === 0 || low.length > 4) return;
  map.lengths ??= new Array(256).fill(0);
  for (let byte = low[0] ?? 0; byte <= (high[0] ?? 0); byte++) map.lengths[byte] ||= low.length;
}

/** Lists of pairs or triples, by the keyword that ends them. */
const LISTS: Record<string, { length: number; add: (map: CodeMap, some: PdfValue[]) => void }> = {
  endbfchar: {
    length: 2,
    add: (map, [from, to]) => {
      if (isBytes(from) && isBytes(to)) addEntry(map, codeOf(from), decodeCharacters(to));
    },
  },
  endbfrange: { length: 3, add: addRange },
  endcodespacerange: { length: 2, add: (map, [low, high]) => addCodeSpace(map, low, high) },
};

function* addList(meter: Meter, map: CodeMap, word: string, operands: PdfValue[]): Steps<void> {
  const list = Object.hasOwn(LISTS, word) ? LISTS[word] : undefined;
  if (!list) return;
  for (let place = 0; place + list.length <= operands.length; place += list.length) {
    const before = map.entryCount;
    list.add(map, operands.slice(place, place + list.length));
    yield* meter.spendAndPause(10 + 5 * (map.entryCount - before));
  }
}

/** Reads the entries of a map, without interpreting the PostScript around them. */
export function* readCodeMap(meter: Meter, bytes: Uint8Array): Steps<CodeMap> {
  const map: CodeMap = { characters: new Map(), entryCount: 0, lengths: undefined };
  const reader = new PdfReader(bytes);
  let operands: PdfValue[] = [];
  for (let value = reader.next(false); value !== undefined; value = reader.next(false)) {
    yield* meter.spendAndPause(20);
    if (value instanceof PdfWord) {
      yield* addList(meter, map, value.word, operands);
      operands = [];
    } else if (operands.length < MAX_CODES) operands.push(value);
  }
  return map;
}
