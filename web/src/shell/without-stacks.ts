// React makes five errors while its script runs, to throw them later. To note where each was made, V8 parses the script
// once more, which is a tenth of a second on a slow phone. This must be the first thing that main.tsx imports.

const limit = Error.stackTraceLimit;
Error.stackTraceLimit = 0;

/** From now on errors say again where they were made. */
export function noteStacks(): void {
  Error.stackTraceLimit = limit;
}
