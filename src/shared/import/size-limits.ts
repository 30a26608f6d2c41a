import { MAX_BODY_BYTES } from "../../contract/body-limit.ts";

export { MAX_BODY_BYTES };

const MIB = 1024 * 1024;

export const tooLargeMessage = (bytes: number) =>
  `is larger than 1 MiB (${(Math.ceil((bytes / MIB) * 10) / 10).toFixed(1)} MiB), the limit for a document`;

/** Any archive may unpack to this size. */
const ALWAYS_ALLOWED = 256 * MIB;
/** Notes compress to about a tenth, highly repetitive ones to a fiftieth, zip bombs to a thousandth. */
const MAX_RATIO = 100;

/** Throws for an archive whose declared size no export of notes has. */
export function assertNoZipBomb(packed: number, unpacked: number): void {
  if (unpacked <= Math.max(ALWAYS_ALLOWED, MAX_RATIO * packed)) return;
  const times = Math.round(unpacked / Math.max(1, packed));
  throw new Error(
    `would unpack to ${Math.round(unpacked / MIB)} MiB, ${times} times its size, so nothing in it was read`,
  );
}

/** Aborts reading altogether; other errors concern a single file. */
export class TooMuchText extends Error {}

/**
 * Sums up bytes of text and throws `TooMuchText` above a limit in MiB. All text stays in memory until it is compared
 * with the account.
 */
export function byteCounter(mebibytes: number, advice: string): (bytes: number) => void {
  let sum = 0;
  return (bytes) => {
    sum += bytes;
    if (sum > mebibytes * MIB)
      throw new TooMuchText(`These files contain more than ${mebibytes} MiB of text. ${advice}`);
  };
}
