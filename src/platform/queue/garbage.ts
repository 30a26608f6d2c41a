/** Collects garbage if the runtime allows it (`npm start`): workerd's V8 would let it grow to gigabytes. */
export const collectGarbage = (): void => (globalThis as { gc?: () => void }).gc?.();

/** In bytes or characters. A collection takes as long as handling a small piece, so it is not worth it after each. */
const THRESHOLD = 256 * 1024;

let read = 0;

export function collectGarbageAfter(size: number): void {
  read += size;
  if (read < THRESHOLD) return;
  read = 0;
  collectGarbage();
}
