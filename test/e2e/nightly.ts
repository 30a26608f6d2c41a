import { test } from "vitest";

/** A slow test of what seldom changes: it runs nightly, or with NIGHTLY set. */
export const nightly = test.runIf(process.env.NIGHTLY);
