import { act, cleanup, configure, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";
import { queries } from "../../src/state/queries.ts";
import { dismissToast, useToastEntries } from "../../src/state/toasts.ts";

// A Saturday in Berlin.

const NOON = Date.parse("2026-11-21T11:00:00.000Z");

// The default of a second is too short for a busy machine.
configure({ asyncUtilTimeout: 20_000 });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
});

afterEach(async () => {
  // A toast would otherwise appear in the next test, also one that was not rendered or whose code is still being loaded.
  await vi.dynamicImportSettled();
  for (const { id } of renderHook(useToastEntries).result.current) act(() => dismissToast(id));
  cleanup();
  queries.clear();
  localStorage.clear();
  history.replaceState(null, "", "/");
});
