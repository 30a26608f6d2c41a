// Parses PDF objects (ISO 32000-1, 7.2 and 7.3). Damaged objects never cause an error.

export class PdfRef {
  readonly number: number;
  constructor(number: number) {
    this.number = number;
  }
}
/** A name without its slash. */
export class PdfName {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}
/** Any other word: an operator, `obj`, `stream`. */
export class PdfWord {
  readonly word: string;
  constructor(word: string) {
    this.word = word;
  }
}
export type PdfDict = Map<string, PdfValue>;
export class PdfStream {
  readonly dict: PdfDict;
  readonly bytes: Uint8Array;
  readonly number: number;
  constructor(dict: PdfDict, bytes: Uint8Array, number: number) {
    this.dict = dict;
    this.bytes = bytes;
    this.number = number;
  }
}
export type PdfValue =
  | null
  | boolean
  | number
  | Uint8Array
  | PdfName
  | PdfRef
  | PdfWord
  | PdfStream
  | PdfDict
  | PdfValue[];

const SPACE = new Uint8Array(256);
for (const code of [0, 9, 10, 12, 13, 32]) SPACE[code] = 1;
const DELIMITER = new Uint8Array(256);
for (const sign of "()<>[]{}/%") DELIMITER[sign.charCodeAt(0)] = 1;

const code = (sign: string) => sign.charCodeAt(0);
const [OPEN, CLOSE, LESS, GREATER, SLASH, PERCENT, BACKSLASH, LINE, RETURN] = [
  ...["(", ")", "<", ">", "/", "%", "\\", "\n", "\r"].map(code),
] as [number, number, number, number, number, number, number, number, number];
const [ARRAY, ARRAY_END] = [code("["), code("]")];

const MAX_DEPTH = 60;
/** Limit per object, including nested arrays and dictionaries; a longer one is damaged or malicious. */
const MAX_ITEMS = 30_000;

const hexDigit = (sign: number): number => {
  if (sign >= 48 && sign <= 57) return sign - 48;
  const letter = sign | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
};

const ESCAPES: Record<string, number> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

export class PdfReader {
  readonly bytes: Uint8Array;
  readonly end: number;
  at: number;
  #items = 0;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  skipSpace(): void {
    while (this.at < this.end) {
      const sign = this.bytes[this.at] ?? 0;
      if (sign === PERCENT) while (this.at < this.end && !this.#isLineEnd()) this.at++;
      else if (SPACE[sign]) this.at++;
      else return;
    }
  }

  #isLineEnd(): boolean {
    const sign = this.bytes[this.at];
    return sign === LINE || sign === RETURN;
  }

  /** The next object; undefined at the end. `refers`: whether `1 0 R` is a reference, which it is not in page content. */
  next(refers = true, depth = 0): PdfValue | undefined {
    this.skipSpace();
    this.#items = depth === 0 ? 0 : this.#items + 1;
    if (this.at >= this.end || depth > MAX_DEPTH || this.#items > MAX_ITEMS) return undefined;
    const sign = this.bytes[this.at] ?? 0;
    if (sign === SLASH) return this.#name();
    if (DELIMITER[sign]) return this.#delimited(sign, refers, depth);
    const start = this.at;
    this.#skipWord();
    return this.#plain(start, refers);
  }

  #skipWord(): void {
    while (this.at < this.end && !SPACE[this.bytes[this.at] ?? 0] && !DELIMITER[this.bytes[this.at] ?? 0])
      this.at++;
  }

  #delimited(sign: number, refers: boolean, depth: number): PdfValue {
    if (sign === OPEN) return this.#string();
    if (sign === ARRAY) return this.#array(refers, depth);
    if (sign !== LESS) return this.#delimiter(sign);
    return this.bytes[this.at + 1] === LESS ? this.#dict(refers, depth) : this.#hexString();
  }

  #delimiter(sign: number): PdfWord {
    const isDouble = sign === GREATER && this.bytes[this.at + 1] === GREATER;
    this.at += isDouble ? 2 : 1;
    return new PdfWord(isDouble ? ">>" : String.fromCharCode(sign));
  }

  #plain(start: number, refers: boolean): PdfValue {
    const number = numberIn(this.bytes, start, this.at);
    if (number !== undefined) return refers && Number.isInteger(number) ? this.#referred(number) : number;
    const text = latin1Text(this.bytes, start, Math.min(this.at, start + 200));
    if (text === "true") return true;
    if (text === "false") return false;
    return text === "null" ? null : new PdfWord(text);
  }

  #referred(number: number): PdfValue {
    const rest = /^[\0\t\n\f\r ]{1,9}\d{1,5}[\0\t\n\f\r ]{1,9}R(?![^\0\t\n\f\r ()<>[\]{}/%])/.exec(
      latin1Text(this.bytes, this.at, Math.min(this.end, this.at + 26)),
    );
    if (!rest || number < 0) return number;
    this.at += rest[0].length;
    return new PdfRef(number);
  }

  #name(): PdfName {
    const start = ++this.at;
    this.#skipWord();
    const text = latin1Text(this.bytes, start, Math.min(this.at, start + 500));
    return new PdfName(
      text.replace(/#([\da-fA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    );
  }

  #string(): Uint8Array {
    const found: number[] = [];
    let depth = 1;
    for (this.at++; this.at < this.end; this.at++) {
      const sign = this.bytes[this.at] ?? 0;
      if (sign === BACKSLASH) {
        this.at++;
        this.#escaped(found);
        continue;
      }
      if (sign === OPEN) depth++;
      if (sign === CLOSE && --depth === 0) break;
      found.push(sign);
    }
    this.at++;
    return Uint8Array.from(found);
  }

  #escaped(found: number[]): void {
    const sign = this.bytes[this.at] ?? 0;
    const octal = /^[0-7]{1,3}/.exec(latin1Text(this.bytes, this.at, Math.min(this.end, this.at + 3)))?.[0];
    if (octal !== undefined) {
      found.push(Number.parseInt(octal, 8) & 255);
      this.at += octal.length - 1;
    } else if (sign === RETURN) {
      if (this.bytes[this.at + 1] === LINE) this.at++;
    } else if (sign !== LINE) found.push(ESCAPES[String.fromCharCode(sign)] ?? sign);
  }

  #hexString(): Uint8Array {
    const digits: number[] = [];
    for (this.at++; this.at < this.end && this.bytes[this.at] !== GREATER; this.at++) {
      const digit = hexDigit(this.bytes[this.at] ?? 0);
      if (digit >= 0) digits.push(digit);
    }
    this.at++;
    if (digits.length % 2 === 1) digits.push(0);
    const digit = (place: number) => digits[place] ?? 0;
    return Uint8Array.from({ length: digits.length / 2 }, (_, at) => digit(2 * at) * 16 + digit(2 * at + 1));
  }

  #array(refers: boolean, depth: number): PdfValue[] {
    this.at++;
    const items: PdfValue[] = [];
    for (;;) {
      this.skipSpace();
      if (this.at >= this.end) break;
      if (this.bytes[this.at] === ARRAY_END) {
        this.at++;
        break;
      }
      const item = this.next(refers, depth + 1);
      if (item === undefined) break;
      items.push(item);
    }
    return items;
  }

  #dict(refers: boolean, depth: number): PdfDict {
    this.at += 2;
    const dict: PdfDict = new Map();
    const ends = (value: PdfValue | undefined) =>
      value === undefined || (value instanceof PdfWord && value.word !== "]");
    for (;;) {
      const key = this.next(refers, depth + 1);
      if (key === undefined || ends(key)) break;
      if (!(key instanceof PdfName)) continue;
      const value = this.next(refers, depth + 1);
      if (value === undefined || (value instanceof PdfWord && value.word === ">>")) break;
      if (!dict.has(key.name)) dict.set(key.name, value);
    }
    return dict;
  }
}

const NUMERIC = new Uint8Array(256);
for (const sign of "0123456789+-.") NUMERIC[code(sign)] = 1;

/** Reads `1.5`, `-.5`, `--3` and `12-34` as other readers do; undefined for a word. */
function numberIn(bytes: Uint8Array, from: number, until: number): number | undefined {
  for (let at = from; at < until; at++) if (!NUMERIC[bytes[at] ?? 0]) return undefined;
  const [, signs = "", digits = ""] =
    /^([+-]*)(\d*\.?\d*)/.exec(latin1Text(bytes, from, Math.min(until, from + 40))) ?? [];
  const value = Number(digits === "." ? 0 : digits);
  return signs.endsWith("-") ? -value : value;
}

/** A few hundred bytes as Latin-1 characters. */
const latin1Text = (bytes: Uint8Array, from: number, until: number): string =>
  String.fromCharCode(...bytes.subarray(from, until));

export const isDict = (value: PdfValue | undefined): value is PdfDict => value instanceof Map;
export const nameValue = (value: PdfValue | undefined): string | undefined =>
  value instanceof PdfName ? value.name : undefined;
