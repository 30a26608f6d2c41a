/** Collects garbage where the runtime lets us (`npm start`): workerd's V8 leaves it alone until there are gigabytes. */
export const collectGarbage = (): void => (globalThis as { gc?: () => void }).gc?.();
