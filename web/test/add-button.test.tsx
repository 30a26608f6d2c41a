import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import AddButton from "../src/shell/add-button.tsx";
import { showOverlay, useOverlay } from "../src/state/overlay.ts";
import { show } from "./kit/show.tsx";

// The round button of a phone.

const Shown = () => <output>{useOverlay() ?? "nothing"}</output>;
const button = () => screen.getByRole("button", { name: "Add record" });

beforeEach(() => {
  history.replaceState(null, "", "/today");
  vi.useFakeTimers({ shouldAdvanceTime: true });
  show(
    <>
      <AddButton />
      <Shown />
    </>,
  );
});

afterEach(() => {
  showOverlay(undefined);
  vi.useRealTimers();
});

test("held, it opens the palette and adds nothing", async () => {
  fireEvent.pointerDown(button());
  await vi.advanceTimersByTimeAsync(600);
  fireEvent.pointerUp(button());
  fireEvent.click(button(), { detail: 1 });
  expect(screen.getByText("palette")).toBeDefined();
  expect(location.search).toBe("");
});

test("what is no longer there is not held", async () => {
  fireEvent.pointerDown(button());
  cleanup();
  show(<Shown />);
  await vi.advanceTimersByTimeAsync(600);
  expect(screen.getByText("nothing")).toBeDefined();
});

test("with a keyboard or a screen reader it adds, also after it was held", () => {
  fireEvent.contextMenu(button());
  fireEvent.click(button(), { detail: 0 });
  expect(location.search).toBe("?new");
});
