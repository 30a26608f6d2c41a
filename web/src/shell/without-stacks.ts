// React creates five errors while its script runs, to throw them later. To record their stacks V8 parses the script again, which
// takes a tenth of a second on a slow phone. A module of its own, because main.tsx has to import it before React.

const limit = Error.stackTraceLimit;
Error.stackTraceLimit = 0;

export function enableStacks(): void {
  Error.stackTraceLimit = limit;
}
