import { expect, test, vi } from "vitest";
import { type ApiError, request } from "../src/api/request.ts";

const TWO_MINUTES = 120_000;

test.for([
  { status: 200, known: 0 },
  { status: 503, known: 503 },
])(
  "an answer $status whose body does not arrive is not waited for without end",
  async ({ status, known }) => {
    vi.useFakeTimers();
    vi.stubGlobal(
      "fetch",
      async () =>
        new Response(new ReadableStream(), { status, headers: { "Content-Type": "application/json" } }),
    );
    const failed = request("/api/tags").catch(({ status }: ApiError) => status);
    await vi.advanceTimersByTimeAsync(TWO_MINUTES);
    expect(await failed).toBe(known);
  },
);
