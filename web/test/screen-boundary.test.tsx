import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { lazyComponent } from "../src/kit/lazy-component.tsx";
import { ScreenBoundary } from "../src/shell/screen-boundary.tsx";
import { takeTypedKeys } from "../src/state/typing-ahead.ts";
import { show } from "./kit/show.tsx";

test("a part that cannot be loaded says so in its place, and is loaded when it is tried again", async () => {
  let isReachable = false;
  const Part = lazyComponent(async () => {
    if (!isReachable) throw new TypeError("Failed to fetch dynamically imported module: /app/part.js");
    return { default: () => <p>The part</p> };
  });
  // What is typed for an editor that is still being loaded is left to it.
  history.pushState(null, "", "/documents/new");
  dispatchEvent(new Event("pushState"));
  (screen.getByRole("textbox") as HTMLTextAreaElement).value = "Plan";
  const person = show(
    <>
      <p>The screen</p>
      <ScreenBoundary isPart>
        <Part wait={null} />
      </ScreenBoundary>
    </>,
  );
  await screen.findByText("This part couldn’t be loaded.");
  screen.getByText("The screen");
  const again = () => screen.getByRole("button", { name: "Try again" });
  expect(screen.queryByRole("button", { name: "Reload" })).toBeNull();
  await person.click(again());
  // Firefox does not load it before the page is reloaded.
  await screen.findByRole("button", { name: "Reload" });
  isReachable = true;
  await person.click(again());
  await screen.findByText("The part");
  expect(screen.queryByRole("alert")).toBeNull();
  expect(takeTypedKeys().text).toBe("Plan");
});
