import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import Prose from "../src/features/document/prose.tsx";

// A long text at the heading that the address names.

const FILLING = "Words of a long text.\n\n".repeat(800);
const text = (task: string) => `- [${task}] a task\n\n${FILLING}## Later\n\nMore.\n\n${FILLING}`;
const prose = (of: string) => <Prose text={of} title="Title" />;

const scrolled = vi.fn<(this: Element) => void>();

const { scrollIntoView } = Element.prototype;

beforeEach(() => {
  Element.prototype.scrollIntoView = function (this: Element) {
    scrolled.call(this);
  };
});

afterEach(() => {
  location.hash = "";
  scrolled.mockClear();
  Element.prototype.scrollIntoView = scrollIntoView;
});

test("it is shown once, and not again when the text changes", async () => {
  location.hash = "#h-later";
  const { rerender } = render(prose(text(" ")));
  await screen.findByRole("heading", { name: "Later" });
  await vi.waitFor(() => expect(scrolled).toHaveBeenCalled());
  // The reader scrolls on.
  act(() => void dispatchEvent(new Event("wheel")));
  scrolled.mockClear();
  rerender(prose(text("x")));
  await act(() => new Promise((resolve) => setTimeout(resolve, 100)));
  expect(scrolled).not.toHaveBeenCalled();
  await act(async () => void dispatchEvent(new Event("hashchange")));
  expect(scrolled).toHaveBeenCalled();
});

test("the End key leads to the end, except from a dialog or a box that scrolls by itself", () => {
  render(
    <>
      {prose(text(" "))}
      <button type="button">On the page</button>
      <div role="dialog">
        <button type="button">In a dialog</button>
      </div>
      <div data-testid="box" style={{ overflowY: "auto" }}>
        <button type="button">In a box</button>
      </div>
    </>,
  );
  Object.defineProperty(screen.getByTestId("box"), "scrollHeight", { value: 100 });
  const isTaken = (name: string) => !fireEvent.keyDown(screen.getByText(name), { key: "End" });
  expect(["On the page", "In a dialog", "In a box"].map(isTaken)).toEqual([true, false, false]);
});

test("an address that names no heading is harmless", async () => {
  location.hash = "#100%";
  render(prose(text(" ")));
  expect(screen.getByText("a task")).toBeDefined();
  expect(scrolled).not.toHaveBeenCalled();
});
