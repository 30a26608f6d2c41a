import { MAX_BODY_BYTES } from "../body-limit.ts";

export { MAX_BODY_BYTES };

export const tooLarge = (bytes: number) =>
  `is larger than 1 MiB (${(bytes / MAX_BODY_BYTES).toFixed(1)} MiB), the limit for a document`;
