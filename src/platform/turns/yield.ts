/** Awaited between the steps of a long request: local D1 starves the event loop, so yield to other requests. */
export const yieldToOthers = (): Promise<void> => scheduler.wait(0);
