// React creates five errors while its script runs, to throw them later. To record their stacks V8 parses the script again, which
// takes a tenth of a second on a slow phone. This must be the first import of main.tsx.

const limit = Error.stackTraceLimit;
Error.stackTraceLimit = 0;

/** Lets errors record their stacks again. */
export function enableStacks(): void {
  Error.stackTraceLimit = limit;
}
