import { Component, type ReactNode } from "react";
import { ApiError } from "../api/request.ts";
import { Problem } from "../kit/states.tsx";
import { useAgain } from "../state/again.ts";
import { takeTyped } from "../state/typing-ahead.ts";

type Props = { children: ReactNode };

/** How browsers say that a part of the app could not be loaded. */
const NOT_LOADED = /dynamically imported module|importing a module script failed|preload CSS/i;
const RELOADED = "commonplace-reloaded";
const ONCE_IN_MS = 60_000;

/** Loads the page again, but not again and again: the part may be missing for good. */
function reloadOnce(): void {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < ONCE_IN_MS) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
}

/** A part of the app that could not be loaded comes with the page, once the service answers. */
function NotLoaded() {
  useAgain(reloadOnce);
  return (
    <Problem problem={new ApiError(0, "This screen could not be loaded")} retry={() => location.reload()} />
  );
}

/** Shows a failure of one screen in its place, so that the rest of the app stays usable. React has no hook for this. */
export class ScreenBoundary extends Component<Props, { problem?: Error }> {
  override state: { problem?: Error } = {};

  static getDerivedStateFromError(problem: Error) {
    return { problem };
  }

  override componentDidCatch() {
    // There is nothing to write in.
    takeTyped();
  }

  override render() {
    const { problem } = this.state;
    if (!problem) return this.props.children;
    if (NOT_LOADED.test(problem.message)) return <NotLoaded />;
    return <Problem problem={problem} retry={() => location.reload()} />;
  }
}
