import fc from "fast-check";

// The examples of a property are few, and those of the last time, so that a failure is about the change.
fc.configureGlobal({ seed: 1, numRuns: 30 });
