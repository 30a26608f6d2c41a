import { act, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Draft, deleteDraft, useStoredDrafts } from "../src/state/document-drafts.ts";
import { saveDraftSync, useDocumentDraft } from "../src/state/shown-drafts.ts";
import { show } from "./kit/show.tsx";

// Lists of drafts are read anew at each change. What is sent of them is in test/e2e/web-writers.test.ts.

const OWNER = "ada";
const draft = (title: string): Draft => ({ title, text: "", base: undefined, at: new Date().toISOString() });

/** Lets the reads go on, in the order in which they began: each asks which drafts are being edited. */
let reads: (() => void)[];

beforeEach(() => {
  reads = [];
  const query = () =>
    new Promise<LockManagerSnapshot>((resolve) => reads.push(() => resolve({ held: [], pending: [] })));
  vi.spyOn(navigator, "locks", "get").mockReturnValue({ query, request: vi.fn() });
});
afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

const finishRead = (number: number) =>
  act(async () => {
    reads[number]?.();
    await new Promise((resolve) => setTimeout(resolve));
  });

const Waiting = () => useStoredDrafts(OWNER).map(({ title }) => <p key={title}>{title}</p>);
const OfDocument = () => <p>{useDocumentDraft(OWNER, "one").draft?.title}</p>;

test.each([
  ["drafts", Waiting],
  ["the draft of a document", OfDocument],
])("of two reads of %s the later one counts, whichever ends first", async (_, List) => {
  show(<List />);
  await waitFor(() => expect(reads).toHaveLength(1));
  saveDraftSync({ owner: OWNER, id: "one", writer: "w" }, draft("Plan"));
  await act(() => deleteDraft({ owner: OWNER, id: "other", writer: "w" }));
  await waitFor(() => expect(reads).toHaveLength(2));
  await finishRead(1);
  screen.getByText("Plan");
  await finishRead(0);
  screen.getByText("Plan");
});
