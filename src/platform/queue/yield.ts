/** Awaited between the steps of a long request, because local D1 starves the event loop. */
export const yieldToOthers = (): Promise<void> => scheduler.wait(0);
