import { vi } from "vitest";

// A browser that keeps nothing, as in a private window. Comes before everything that asks it to.

type Refused = { error: DOMException; onerror?: (event: { target: Refused }) => void };

vi.stubGlobal("indexedDB", {
  open: () => {
    const request: Refused = { error: new DOMException("Nothing is kept here", "InvalidStateError") };
    queueMicrotask(() => request.onerror?.({ target: request }));
    return request;
  },
});
