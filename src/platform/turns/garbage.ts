/** Collects garbage where the runtime lets us (`npm start`): workerd's V8 leaves it alone until there are gigabytes. */
export const collectGarbage = (): void => (globalThis as { gc?: () => void }).gc?.();

/** Bytes or characters: small pieces leave little, and a collection takes as long as one of them does. */
const WORTH_IT = 256 * 1024;

let read = 0;

/** Collects garbage once so much was read that there is some. */
export function collectGarbageOf(size: number): void {
  read += size;
  if (read < WORTH_IT) return;
  read = 0;
  collectGarbage();
}
