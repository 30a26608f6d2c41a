import { Buffer } from "node:buffer";
import type { Steps } from "../../../../shared/text/steps.ts";
import { LIMITS, type Meter, UnreadableFile } from "../meter.ts";
import { createDecryption, type Decrypt } from "./crypt.ts";
import { applyFilters, areTextFilters, type FilterParameters } from "./filters.ts";
import {
  isDict,
  nameValue,
  type PdfDict,
  PdfReader,
  PdfRef,
  PdfStream,
  type PdfValue,
  PdfWord,
} from "./objects.ts";

// The objects of a file. They are located by scanning for `12 0 obj` instead of using the cross-reference table, which may be
// missing, wrong or malicious. Of several objects with the same number the last one counts, as in incrementally updated files.

type Place = { at: number } | { container: number; index: number };

const MAX_OBJECTS = 1_000_000;
const MAX_LINKS = 20;
const MAX_LOOKED_AT = 5000;

const isDigit = (code: number | undefined) => code !== undefined && code >= 48 && code <= 57;

export class PdfFile {
  readonly #places = new Map<number, Place>();
  readonly #known = new Map<number, PdfValue>();
  readonly #containers = new Map<number, PdfValue[]>();
  #decrypt: Decrypt | undefined;
  trailer: PdfDict = new Map();

  readonly meter: Meter;
  readonly bytes: Uint8Array;
  /** The same bytes, for searching. */
  readonly #buffer: Buffer;

  constructor(meter: Meter, bytes: Uint8Array) {
    this.meter = meter;
    this.bytes = bytes;
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Finds the objects. Throws UnreadableFile. */
  *open(): Steps<void> {
    yield* this.#findObjects();
    if (this.#places.size === 0)
      throw new UnreadableFile("It is damaged, or its content does not match its file type");
    yield* this.#findTrailers();
    const encrypt = this.get(this.trailer.get("Encrypt"));
    if (isDict(encrypt)) this.#decrypt = createDecryption(encrypt, this.get(this.trailer.get("ID")));
    this.#known.clear();
    yield* this.#readContainers();
  }

  *#findObjects(): Steps<void> {
    let before = 0;
    for (let at = this.#buffer.indexOf("obj"); at >= 0; at = this.#buffer.indexOf("obj", at + 3)) {
      const start = this.#objectNumberBefore(at);
      if (start) this.#places.set(start.number, { at: at + 3 });
      if (this.#places.size > MAX_OBJECTS) throw new UnreadableFile("It has too many objects");
      yield* this.meter.spendAndPause(20 + (at - before) / 100);
      before = at;
    }
  }

  /** The number in `12 0 obj`, read backwards from `obj`; undefined for `endobj`. */
  #objectNumberBefore(end: number): { number: number } | undefined {
    let at = end - 1;
    const isSpace = () => [9, 10, 13, 32].includes(this.bytes[at] ?? 0);
    const skip = (test: () => boolean, most: number) => {
      const last = at;
      while (at >= 0 && last - at < most && test()) at--;
      return last - at;
    };
    const isNumber = () => isDigit(this.bytes[at]);
    if (skip(isSpace, 9) === 0 || skip(isNumber, 5) === 0 || skip(isSpace, 9) === 0) return undefined;
    const last = at;
    if (skip(isNumber, 10) === 0) return undefined;
    return { number: Number(Buffer.from(this.bytes.subarray(at + 1, last + 1)).toString("latin1")) };
  }

  /** Merges the trailers. Each value comes from the last trailer that has it. */
  *#findTrailers(): Steps<void> {
    for (let at = this.#buffer.lastIndexOf("trailer"), tries = 0; at >= 0 && tries < MAX_LINKS; tries++) {
      const dict = new PdfReader(this.bytes, at + 7).next();
      if (isDict(dict)) this.#mergeTrailer(dict);
      at = at === 0 ? -1 : this.#buffer.lastIndexOf("trailer", at - 1);
    }
    if (this.trailer.has("Root")) return;
    for (const number of [...this.#places.keys()].toReversed().slice(0, MAX_LOOKED_AT)) {
      const value = this.#readObject(number);
      yield* this.meter.spendAndPause(10);
      if (value instanceof PdfStream && nameValue(value.dict.get("Type")) === "XRef")
        this.#mergeTrailer(value.dict);
    }
  }

  #mergeTrailer(dict: PdfDict): void {
    for (const [name, value] of dict) if (!this.trailer.has(name)) this.trailer.set(name, value);
  }

  /** Reads object streams in the order of the file, so that later objects replace earlier ones. */
  *#readContainers(): Steps<void> {
    const places = [...this.#places].flatMap(([number, place]) =>
      "at" in place ? [{ number, at: place.at }] : [],
    );
    for (const { number, at } of places.toSorted((one, other) => one.at - other.at)) {
      const head = Buffer.from(this.bytes.subarray(at, at + 400)).toString("latin1");
      yield* this.meter.spendAndPause(50);
      if (!head.includes("ObjStm")) continue;
      const stream = this.#readObject(number);
      if (stream instanceof PdfStream && nameValue(stream.dict.get("Type")) === "ObjStm")
        this.#addContained(yield* this.#numbersIn(stream), { number, at });
    }
  }

  #addContained(numbers: number[], { number, at }: { number: number; at: number }): void {
    for (const [index, inside] of numbers.entries()) {
      const known = this.#places.get(inside);
      if (!(known && "at" in known && known.at > at)) this.#places.set(inside, { container: number, index });
    }
  }

  /** Reads an object stream, and returns the numbers of its objects. */
  *#numbersIn(stream: PdfStream): Steps<number[]> {
    const bytes = (yield* this.unpack(stream)) ?? new Uint8Array(0);
    const count = Math.min(MAX_OBJECTS, this.number(stream.dict, "N", 0));
    const first = this.number(stream.dict, "First", 0);
    const reader = new PdfReader(bytes, 0, Math.min(first, bytes.length));
    const numbers: number[] = [];
    const values: PdfValue[] = [];
    for (let index = 0; index < count; index++) {
      const [number, offset] = [reader.next(false), reader.next(false)];
      if (typeof number !== "number" || typeof offset !== "number") break;
      numbers.push(number);
      const inside = new PdfReader(bytes, Math.max(0, first + offset));
      values.push(inside.next() ?? null);
      this.meter.charge(2 * Math.max(0, inside.at - first - offset));
      yield* this.meter.spendAndPause(20);
    }
    this.#containers.set(stream.number, values);
    return numbers;
  }

  /** An object as written in the file. */
  #readObject(number: number): PdfValue {
    const place = this.#places.get(number);
    if (!place) return null;
    if ("container" in place) return this.#containers.get(place.container)?.[place.index] ?? null;
    const reader = new PdfReader(this.bytes, place.at);
    const value = reader.next() ?? null;
    this.meter.charge(2 * (reader.at - place.at));
    if (!isDict(value)) return value;
    const after = reader.at;
    const word = reader.next();
    if (!(word instanceof PdfWord) || word.word !== "stream") return value;
    return this.#streamAt(value, number, Math.max(after, reader.at));
  }

  #streamAt(dict: PdfDict, number: number, behindWord: number): PdfStream {
    let start = behindWord;
    if (this.bytes[start] === 13) start++;
    if (this.bytes[start] === 10) start++;
    const length = this.get(dict.get("Length"));
    const end = start + (typeof length === "number" ? length : -1);
    const closes = (from: number) =>
      /^\s{0,4}endstream/.test(Buffer.from(this.bytes.subarray(from, from + 16)).toString("latin1"));
    if (end >= start && end <= this.bytes.length && closes(end))
      return new PdfStream(dict, this.bytes.subarray(start, end), number);
    const found = this.#buffer.indexOf("endstream", start);
    const until = found < 0 ? this.bytes.length : found;
    this.meter.charge((until - start) / 50);
    return new PdfStream(dict, this.bytes.subarray(start, until), number);
  }

  /** A value, or the value that it refers to. */
  get(value: PdfValue | undefined): PdfValue {
    let found: PdfValue = value ?? null;
    for (let links = 0; found instanceof PdfRef && links < MAX_LINKS; links++)
      found = this.#object(found.number);
    return found instanceof PdfRef ? null : found;
  }

  #object(number: number): PdfValue {
    const known = this.#known.get(number);
    if (known !== undefined) return known;
    // Prevents endless recursion if its length refers to itself.
    this.#known.set(number, null);
    const value = this.#readObject(number);
    this.#known.set(number, value);
    return value;
  }

  /** The dictionaries of the first objects, ordered by number. */
  *all(): Steps<PdfDict[]> {
    const numbers = [...this.#places.keys()].toSorted((one, other) => one - other).slice(0, MAX_LOOKED_AT);
    const found: PdfDict[] = [];
    for (const number of numbers) {
      const value = this.get(new PdfRef(number));
      if (isDict(value)) found.push(value);
      yield* this.meter.spendAndPause(10);
    }
    return found;
  }

  dict(value: PdfValue | undefined): PdfDict {
    const found = this.get(value);
    if (found instanceof PdfStream) return found.dict;
    return isDict(found) ? found : new Map();
  }

  list(value: PdfValue | undefined): PdfValue[] {
    const found = this.get(value);
    return Array.isArray(found) ? found : [];
  }

  number(dict: PdfDict, name: string, otherwise: number): number {
    const found = this.get(dict.get(name));
    return typeof found === "number" ? found : otherwise;
  }

  #parametersOf(value: PdfValue | undefined): FilterParameters {
    const dict = this.dict(value);
    return {
      predictor: this.number(dict, "Predictor", 1),
      colors: Math.min(32, Math.max(1, this.number(dict, "Colors", 1))),
      bits: Math.min(32, Math.max(1, this.number(dict, "BitsPerComponent", 8))),
      columns: Math.min(1_000_000, Math.max(1, this.number(dict, "Columns", 1))),
      early: this.number(dict, "EarlyChange", 1),
    };
  }

  #filtersOf(dict: PdfDict) {
    const filter = this.get(dict.get("Filter") ?? dict.get("F"));
    const names = Array.isArray(filter) ? filter.map((one) => this.get(one)) : [filter];
    const decodeParms = this.get(dict.get("DecodeParms") ?? dict.get("DP"));
    return names.flatMap((name, place) => {
      const known = nameValue(name);
      const parameters = this.#parametersOf(Array.isArray(decodeParms) ? decodeParms[place] : decodeParms);
      return known === undefined ? [] : [{ name: known, parameters }];
    });
  }

  /** The decoded bytes of a stream; undefined for images and for encrypted streams that are too large. Throws LimitReached. */
  *unpack(stream: PdfStream): Steps<Uint8Array | undefined> {
    const filters = this.#filtersOf(stream.dict);
    const isPlain = nameValue(stream.dict.get("Type")) === "XRef" || stream.number === 0;
    if (!areTextFilters(filters)) return undefined;
    const isEncrypted = this.#decrypt !== undefined && !isPlain;
    yield* this.meter.spendAndPause(stream.bytes.length / (isEncrypted ? 4 : 1000));
    if (isEncrypted && stream.bytes.length > LIMITS.entry) return undefined;
    const bytes = isEncrypted ? this.#decrypt?.(stream.bytes, stream.number) : stream.bytes;
    return bytes && (yield* applyFilters(this.meter, bytes, filters));
  }
}
