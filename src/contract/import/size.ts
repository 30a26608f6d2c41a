import { MAX_BODY_BYTES } from "../body-limit.ts";

export { MAX_BODY_BYTES };

const MIB = 1024 * 1024;

export const tooLarge = (bytes: number) =>
  `is larger than 1 MiB (${(Math.ceil((bytes / MIB) * 10) / 10).toFixed(1)} MiB), the limit for a document`;

/** Any archive may unpack to so much. */
const ALWAYS_FINE = 256 * MIB;
/** Notes become a tenth when they are packed, the same few lines again and again a fiftieth, and a bomb a thousandth. */
const MOST_RATIO = 100;

/** Refuses an archive that says that it unpacks to what no export of notes does. */
export function refuseBomb(packed: number, unpacked: number): void {
  if (unpacked <= Math.max(ALWAYS_FINE, MOST_RATIO * packed)) return;
  const times = Math.round(unpacked / Math.max(1, packed));
  throw new Error(
    `would unpack to ${Math.round(unpacked / MIB)} MiB, ${times} times its size, so nothing in it was read`,
  );
}

/** Stops the whole reading; other problems are those of one file. */
export class TooMuch extends Error {}

/** Told how many bytes of text were read, it throws `TooMuch` above so many MiB. All are in memory until they are compared with the account. */
export function counterUpTo(mebibytes: number, advice: string): (bytes: number) => void {
  let sum = 0;
  return (bytes) => {
    sum += bytes;
    if (sum > mebibytes * MIB) throw new TooMuch(`These are more than ${mebibytes} MiB of text. ${advice}`);
  };
}
