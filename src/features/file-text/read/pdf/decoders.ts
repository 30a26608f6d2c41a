import { LIMITS } from "../meter.ts";

// Decoders for the older PDF filters, byte by byte.

/** Output of a decoder, up to the limit. */
class DecodedBytes {
  #bytes = new Uint8Array(1024);
  length = 0;

  push(byte: number): void {
    if (this.isFull) return;
    if (this.length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.length++] = byte;
  }

  get isFull(): boolean {
    return this.length >= LIMITS.entry;
  }

  bytes = (): Uint8Array => this.#bytes.subarray(0, this.length);
}

export type FilterDecoder = {
  output: DecodedBytes;
  /** whether the data has ended; further bytes are ignored */
  isOver: boolean;
  add: (byte: number) => void;
  end?: () => void;
};

const CLEAR = 256;
const END = 257;
const FIRST_ENTRY = 258;
const MAX_ENTRIES = 4096;

/** Length of the next code in bits for a table of this size. */
function bitsFor(entries: number): number {
  if (entries >= 2048) return 12;
  if (entries >= 1024) return 11;
  return entries >= 512 ? 10 : 9;
}

/** @param early 1 if codes become longer one entry early */
export function lzwDecoder(early: number): FilterDecoder {
  let table: number[][] = [];
  let before: number[] | undefined;
  let [bits, held, count] = [9, 0, 0];
  const entryOf = (code: number): number[] | undefined => {
    if (code < CLEAR) return [code];
    return table[code - FIRST_ENTRY] ?? (before ? [...before, before[0] ?? 0] : undefined);
  };
  const read = (code: number) => {
    const entry = code === END ? undefined : entryOf(code);
    if (!entry) {
      decoder.isOver = true;
      return;
    }
    for (const byte of entry) decoder.output.push(byte);
    if (before && table.length < MAX_ENTRIES - FIRST_ENTRY) table.push([...before, entry[0] ?? 0]);
    before = entry;
    bits = bitsFor(FIRST_ENTRY + table.length + early);
  };
  const clear = () => {
    [table, bits, before] = [[], 9, undefined];
  };
  const decoder: FilterDecoder = {
    output: new DecodedBytes(),
    isOver: false,
    add: (byte) => {
      held = (held << 8) | byte;
      count += 8;
      if (count < bits || decoder.isOver) return;
      const code = (held >> (count - bits)) & ((1 << bits) - 1);
      count -= bits;
      held &= (1 << count) - 1;
      if (code === CLEAR) clear();
      else read(code);
    },
  };
  return decoder;
}

const hexDigit = (sign: number) => Number.parseInt(String.fromCharCode(sign), 16);

export function hexDecoder(): FilterDecoder {
  let high: number | undefined;
  const decoder: FilterDecoder = {
    output: new DecodedBytes(),
    isOver: false,
    add: (byte) => {
      decoder.isOver ||= byte === 0x3e;
      const digit = hexDigit(byte);
      if (decoder.isOver || Number.isNaN(digit)) return;
      if (high !== undefined) decoder.output.push(high * 16 + digit);
      high = high === undefined ? digit : undefined;
    },
    end: () => {
      if (high !== undefined) decoder.output.push(high * 16);
    },
  };
  return decoder;
}

export function base85Decoder(): FilterDecoder {
  let [digits, value] = [0, 0];
  const put = (most: number) => {
    for (let place = 0; place < most; place++)
      decoder.output.push(Math.floor(value / 256 ** (3 - place)) & 255);
    [digits, value] = [0, 0];
  };
  const decoder: FilterDecoder = {
    output: new DecodedBytes(),
    isOver: false,
    add: (byte) => {
      decoder.isOver ||= byte === 0x7e;
      if (decoder.isOver) return;
      if (byte === 0x7a && digits === 0) put(4);
      else if (byte >= 0x21 && byte <= 0x75) {
        value = value * 85 + byte - 0x21;
        if (++digits === 5) put(4);
      }
    },
    end: () => {
      if (digits < 2) return;
      const have = digits;
      for (; digits < 5; digits++) value = value * 85 + 84;
      put(have - 1);
    },
  };
  return decoder;
}

export function runLengthDecoder(): FilterDecoder {
  let [plain, times] = [0, 0];
  const begin = (length: number) => {
    if (length === 128) decoder.isOver = true;
    else if (length < 128) plain = length + 1;
    else times = 257 - length;
  };
  const decoder: FilterDecoder = {
    output: new DecodedBytes(),
    isOver: false,
    add: (byte) => {
      if (plain === 0 && times === 0) return begin(byte);
      for (let time = 0; time < Math.max(1, times); time++) decoder.output.push(byte);
      times = 0;
      plain = Math.max(0, plain - 1);
    },
  };
  return decoder;
}
