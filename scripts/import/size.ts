/** Bytes that the service takes in one request. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Why a document of this size is refused. */
export const tooLarge = (bytes: number) =>
  `is larger than 1 MiB (${(bytes / MAX_BODY_BYTES).toFixed(1)} MiB), the most that a document may have`;
