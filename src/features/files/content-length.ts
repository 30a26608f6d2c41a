import { tooLarge, unprocessable } from "../../platform/core/errors.ts";

/** The length of a body, which the bucket requires in advance. Throws 422 without one, 413 above `max`. */
export function requireContentLength(header: string | undefined, max: number): number {
  if (header === undefined || !/^\d{1,15}$/.test(header))
    throw unprocessable("content-length: is required: send the length of the body");
  if (Number(header) > max)
    throw tooLarge(
      `The body may have at most ${max} bytes: send a larger file in parts, see POST /api/files/uploads`,
    );
  return Number(header);
}
