import type { Steps } from "../../../../shared/text/steps.ts";
import { inflateBytes } from "../inflate.ts";
import type { Meter } from "../meter.ts";
import { base85Decoder, type FilterDecoder, hexDecoder, lzwDecoder, runLengthDecoder } from "./decoders.ts";

// Filters of streams (ISO 32000-1, 7.4), except those of images, which contain no text.

/** The parameters of a filter that are supported. */
export type FilterParameters = {
  predictor: number;
  colors: number;
  bits: number;
  columns: number;
  early: number;
};

type Filter = (meter: Meter, bytes: Uint8Array, parameters: FilterParameters) => Steps<Uint8Array>;

type Neighbours = { left: number; up: number; corner: number };

function predict(kind: number, { left, up, corner }: Neighbours): number {
  if (kind === 1) return left;
  if (kind === 2) return up;
  if (kind === 3) return (left + up) >> 1;
  if (kind !== 4) return 0;
  const estimate = left + up - corner;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

type Row = { from: number; to: number; width: number; pixel: number };

function unpredictRow(bytes: Uint8Array, plain: Uint8Array, { from, to, width, pixel }: Row): void {
  const kind = bytes[from] ?? 0;
  const at = (place: number) => (place >= 0 ? (plain[place] ?? 0) : 0);
  for (let place = 0; place < width; place++) {
    const isFirst = place < pixel;
    const left = isFirst ? 0 : at(to + place - pixel);
    const corner = isFirst ? 0 : at(to + place - width - pixel);
    const up = at(to + place - width);
    plain[to + place] = (bytes[from + 1 + place] ?? 0) + predict(kind, { left, up, corner });
  }
}

/** Reverses PNG predictors (RFC 2083, 6), with which each byte is the difference from its neighbours. */
function* unpredicted(meter: Meter, bytes: Uint8Array, parameters: FilterParameters): Steps<Uint8Array> {
  const { predictor, colors, bits, columns } = parameters;
  const pixel = Math.max(1, Math.ceil((colors * bits) / 8));
  const width = Math.ceil((colors * bits * columns) / 8);
  if (predictor < 10 || width > bytes.length) return bytes;
  const rows = Math.ceil(bytes.length / (width + 1));
  const plain = new Uint8Array(rows * width);
  for (let row = 0; row < rows; row++) {
    unpredictRow(bytes, plain, { from: row * (width + 1), to: row * width, width, pixel });
    yield* meter.spendAndPause(width);
  }
  return plain;
}

/** zlib data (RFC 1950): deflated data after a header of two bytes, which may be missing. */
function* flate(meter: Meter, bytes: Uint8Array, parameters: FilterParameters): Steps<Uint8Array> {
  const [first = 0, second = 0] = bytes;
  const isZlib = (first & 15) === 8 && ((first << 8) | second) % 31 === 0;
  const found = yield* inflateBytes(meter, isZlib ? bytes.subarray(2) : bytes);
  return yield* unpredicted(meter, found.bytes, parameters);
}

/** Bytes per step: with LZW a byte expands to at most 4,096. */
const BLOCK = 128;

const decodeByBytes = (newDecoder: (parameters: FilterParameters) => FilterDecoder): Filter =>
  function* (meter, bytes, parameters) {
    const decoder = newDecoder(parameters);
    let before = 0;
    for (let from = 0; from < bytes.length && !decoder.isOver && !decoder.output.isFull; from += BLOCK) {
      for (const byte of bytes.subarray(from, from + BLOCK)) decoder.add(byte);
      meter.inflate(decoder.output.length - before);
      yield* meter.spendAndPause(BLOCK + (decoder.output.length - before) / 4);
      before = decoder.output.length;
    }
    decoder.end?.();
    return yield* unpredicted(meter, decoder.output.bytes(), parameters);
  };

const [lzw, hex, base85, runs] = [
  decodeByBytes(({ early }) => lzwDecoder(early)),
  decodeByBytes(hexDecoder),
  decodeByBytes(base85Decoder),
  decodeByBytes(runLengthDecoder),
];

const FILTERS: Record<string, Filter> = {
  FlateDecode: flate,
  Fl: flate,
  LZWDecode: lzw,
  LZW: lzw,
  RunLengthDecode: runs,
  RL: runs,
  ASCIIHexDecode: hex,
  AHx: hex,
  ASCII85Decode: base85,
  A85: base85,
};

/** No real file needs more, and each filter can multiply the size. */
const MAX_FILTERS = 4;

type UsedFilter = { name: string; parameters: FilterParameters };

/** Whether these are few enough filters, and none of them is for images. */
export const areTextFilters = (filters: readonly UsedFilter[]): boolean =>
  filters.length <= MAX_FILTERS &&
  filters.every(({ name }) => name === "Crypt" || Object.hasOwn(FILTERS, name));

export function* applyFilters(
  meter: Meter,
  packed: Uint8Array,
  filters: readonly UsedFilter[],
): Steps<Uint8Array> {
  let bytes = packed;
  for (const { name, parameters } of filters) {
    const filter = FILTERS[name];
    if (filter) bytes = yield* filter(meter, bytes, parameters);
  }
  return bytes;
}
