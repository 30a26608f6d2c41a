import { Inflate } from "fflate";
import type { Steps } from "../../../shared/text/steps.ts";
import { LIMITS, type Meter } from "./meter.ts";

/** Compressed bytes at a time: deflate (RFC 1951) expands at most 1,032 times, so a piece inflates to at most 256 kB. */
const PIECE = 256;
/** Bytes inflated in the time of reading one character. */
const BYTES_PER_WORK = 8;

type Inflated = {
  bytes: Uint8Array;
  /** whether the limit was reached or the rest is damaged */
  isCut: boolean;
};

/** Inflates bytes (RFC 1951) up to a limit; of damaged data, the part before the damage. */
export function* inflateBytes(meter: Meter, deflated: Uint8Array): Steps<Inflated> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const stream = new Inflate((piece) => {
    pieces.push(piece);
    size += piece.length;
  });
  let isCut = false;
  for (let from = 0; from < deflated.length && !isCut; from += PIECE) {
    const before = size;
    isCut = !tryPush(stream, deflated.subarray(from, from + PIECE)) || size > LIMITS.entry;
    meter.inflate(size - before);
    yield* meter.spendAndPause((size - before + PIECE) / BYTES_PER_WORK);
  }
  return { bytes: joinPieces(pieces, LIMITS.entry), isCut };
}

/** Returns false for damaged data. */
function tryPush(stream: Inflate, piece: Uint8Array): boolean {
  try {
    stream.push(piece);
    return true;
  } catch {
    return false;
  }
}

/** The pieces together, up to `most` bytes. */
export function joinPieces(pieces: readonly Uint8Array[], most: number): Uint8Array {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const whole = new Uint8Array(Math.min(size, most));
  let at = 0;
  for (const piece of pieces) {
    const part = piece.subarray(0, whole.length - at);
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
