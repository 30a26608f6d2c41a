/** A new Idempotency-Key. `crypto.randomUUID` is missing on a copy that is served over plain http. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
