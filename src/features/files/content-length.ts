import { invalid, tooLarge } from "../../platform/core/errors.ts";

/** The length of a body, which the bucket has to know before the first byte. Throws 422 without one, 413 above `most`. */
export function lengthOf(header: string | undefined, most: number): number {
  if (header === undefined || !/^\d{1,15}$/.test(header))
    throw invalid("content-length: is required: send the length of the body");
  if (Number(header) > most)
    throw tooLarge(
      `The body has at most ${most} bytes: send a larger file in parts, see POST /api/files/uploads`,
    );
  return Number(header);
}
