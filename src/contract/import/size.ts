import { MAX_BODY_BYTES } from "../../core/body-limit.ts";

export { MAX_BODY_BYTES };

/** Why a document of this size is refused. */
export const tooLarge = (bytes: number) =>
  `is larger than 1 MiB (${(bytes / MAX_BODY_BYTES).toFixed(1)} MiB), the limit for a document`;
