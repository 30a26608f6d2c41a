import { cleanup, configure, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";
import { queries } from "../../src/state/queries.ts";

// A Saturday in Berlin.

const NOON = Date.parse("2026-11-21T11:00:00.000Z");

// The default of a second is too short for a busy machine.
configure({ asyncUtilTimeout: 20_000 });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
});

afterEach(async () => {
  // What a step says once its code is loaded would otherwise appear in the next test.
  await vi.dynamicImportSettled();
  for (const button of screen.queryAllByRole("button", { name: "Dismiss" })) fireEvent.click(button);
  cleanup();
  queries.clear();
  localStorage.clear();
  history.replaceState(null, "", "/");
});
