import { test } from "vitest";

/** A test that takes long and is about what seldom changes: only the nightly run has it. */
export const nightly = test.runIf(process.env.NIGHTLY);
