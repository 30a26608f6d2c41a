import { act, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { beginToast, toast, undoLatest } from "../src/state/toasts.ts";
import { show } from "./kit/show.tsx";

// What a message offers. That undoing takes back exactly the change that it names is in test/e2e/web-records.test.ts.

const list = () => screen.getByRole("list", { name: "Notifications" });
const texts = () =>
  within(list())
    .queryAllByRole("listitem")
    .map(({ firstChild }) => firstChild?.textContent);
// Toasts of one test are gone before the next, and cannot be undone any more.
beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => {
  passTime(100_000);
  vi.useRealTimers();
});

const passTime = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

/** Presses the key that undoes the latest. Returns whether there was something. */
function pressUndo(): boolean {
  let isTaken = false;
  act(() => {
    isTaken = undoLatest();
  });
  return isTaken;
}
const tell = (text: string, undo?: () => void) => act(() => toast({ text, ...(undo && { undo }) }));

test("the latest three are shown, and only the latest has a key", async () => {
  const person = show(null);
  const undo = vi.fn();
  for (const name of ["one", "two", "three", "four"]) tell(name, () => undo(name));
  expect(texts()).toEqual(["two", "three", "four"]);
  expect(list().querySelectorAll("kbd")).toHaveLength(1);
  await person.click(within(list()).getAllByRole("button", { name: /^Undo/ })[0] as HTMLElement);
  expect(undo.mock.calls).toEqual([["two"]]);
  await person.click(within(list()).getAllByRole("button", { name: "Dismiss" })[0] as HTMLElement);
  expect(texts()).toEqual(["four"]);
});

test("a message that offers nothing is not passed over for an older one", () => {
  show(null);
  const undo = vi.fn();
  tell("Archived", undo);
  tell("Refused");
  expect(pressUndo()).toBe(false);
  expect(undo).not.toHaveBeenCalled();
});

test("what is undone before it is answered is taken back once it is, and is not told", () => {
  show(null);
  const [older, latest] = [vi.fn(), vi.fn()];
  tell("Archived A", older);
  const step = beginToast();
  expect(pressUndo()).toBe(true);
  expect(pressUndo()).toBe(true);
  act(() => step.end({ text: "Archived B", undo: latest }));
  expect([older.mock.calls.length, latest.mock.calls.length]).toEqual([0, 1]);
  expect(texts()).toEqual(["Archived A"]);
});

const archive = (name: string, undo: (name: string) => void, end = toast) =>
  act(() =>
    end({
      text: `Archived ${name}`,
      undo: () => undo(name),
      group: { name: "archive", count: 1, text: (count) => `Archived ${count} records` },
    }),
  );

test("messages of one kind that follow each other are one, which takes back exactly those", async () => {
  const person = show(null);
  const undo = vi.fn();
  tell("Moved", () => undo("moved"));
  for (const name of ["A", "B", "C"]) archive(name, undo);
  expect(texts()).toEqual(["Moved", "Archived 3 records"]);
  expect(pressUndo()).toBe(true);
  expect(undo.mock.calls.flat()).toEqual(["C", "B", "A"]);
  expect(texts()).toEqual(["Moved"]);

  // Another message in between, or one that is refused, begins another group.
  archive("D", undo);
  tell("Refused");
  archive("E", undo);
  expect(texts()).toEqual(["Archived D", "Refused", "Archived E"]);
  await person.click(within(list()).getAllByRole("button", { name: /^Undo/ })[1] as HTMLElement);
  expect(undo.mock.calls.flat().slice(3)).toEqual(["E"]);
});

test("a step that ends before the one that was begun before it is one with it all the same", () => {
  show(null);
  const undo = vi.fn();
  const [first, second] = [beginToast(), beginToast()];
  archive("B", undo, second.end);
  archive("A", undo, first.end);
  expect(texts()).toEqual(["Archived 2 records"]);
  pressUndo();
  expect(undo.mock.calls.flat()).toEqual(["B", "A"]);
});

test("the time of a message stands still while it has the focus, and while the page is hidden", () => {
  show(null);
  tell("Archived", vi.fn());
  passTime(7000);
  act(() => within(list()).getByRole("button", { name: /^Undo/ }).focus());
  passTime(60_000);
  expect(texts()).toEqual(["Archived"]);
  act(() => (document.activeElement as HTMLElement).blur());
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  passTime(60_000);
  expect(texts()).toEqual(["Archived"]);
  hidden.mockRestore();
  passTime(900);
  expect(texts()).toEqual(["Archived"]);
  passTime(200);
  expect(texts()).toEqual([]);
});

test("the last step can be undone by key for a minute after its message", () => {
  show(null);
  const [older, latest] = [vi.fn(), vi.fn()];
  tell("Archived A", older);
  tell("Archived B", latest);
  passTime(9000);
  expect(texts()).toEqual([]);
  passTime(50_000);
  expect(pressUndo()).toBe(true);
  expect(texts()).toEqual(["Undo: Archived B"]);
  expect([older.mock.calls.length, latest.mock.calls.length]).toEqual([0, 1]);
  passTime(9000);
  expect(pressUndo()).toBe(false);

  tell("Archived C", latest);
  fireEvent.click(within(list()).getByRole("button", { name: "Dismiss" }));
  expect(texts()).toEqual([]);
  passTime(61_000);
  expect(pressUndo()).toBe(false);
  expect(latest).toHaveBeenCalledOnce();
});
