import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { useRenderCheck } from "../src/features/document/trial.ts";

// Whether a long text can be rendered: found out beside the page, by a worker that takes as long as the machine makes it.

const TEXT = "- [ ] a task\n".repeat(100);
/** How long parsing takes, in milliseconds. */
let takesMs = 0;

beforeEach(() => {
  vi.useFakeTimers();
  class Parser extends EventTarget {
    timer: ReturnType<typeof setTimeout> | undefined;
    postMessage() {
      this.timer = setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data: true })), takesMs);
    }
    terminate() {
      clearTimeout(this.timer);
    }
  }
  vi.stubGlobal("Worker", Parser);
});

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test("a text that took too long is tried again by itself once the machine has time", async () => {
  takesMs = 10_000;
  const { result } = renderHook(() => useRenderCheck(TEXT));
  expect(result.current).toBeUndefined();
  await pass(2000);
  expect(result.current?.isFine).toBe(false);
  takesMs = 100;
  await pass(5100);
  expect(result.current?.isFine).toBe(true);
});

test("who asks for it waits longer, and it stays rendered when a task of it is ticked", async () => {
  takesMs = 10_000;
  const { result, rerender } = renderHook(({ text }) => useRenderCheck(text), {
    initialProps: { text: TEXT },
  });
  await pass(2000);
  act(() => result.current?.retry?.());
  expect(result.current).toMatchObject({ isFine: false, retry: undefined });
  await pass(10_000);
  expect(result.current?.isFine).toBe(true);
  rerender({ text: TEXT.replace("[ ]", "[x]") });
  expect(result.current?.isFine).toBe(true);
  await pass(10_000);
  expect(result.current?.isFine).toBe(true);
});
