import { Component, type ReactNode } from "react";
import { ApiError } from "../api/request.ts";
import { Problem } from "../kit/states.tsx";
import { useAgain } from "../state/again.ts";
import { takeTyped } from "../state/typing-ahead.ts";

type Props = { children: ReactNode };

/** Browsers' messages when a part of the app could not be loaded. */
const NOT_LOADED = /dynamically imported module|importing a module script failed|preload CSS/i;
const RELOADED = "commonplace-reloaded";
const ONCE_IN_MS = 60_000;

/** Reloads at most once a minute: the part may be missing permanently. */
function reloadOnce(): void {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < ONCE_IN_MS) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
}

/** Reloads the page once the server is reachable, to load the missing part. */
function NotLoaded() {
  useAgain(reloadOnce);
  return (
    <Problem problem={new ApiError(0, "This screen couldn’t be loaded")} retry={() => location.reload()} />
  );
}

/** Confines an error to its screen, so that the rest of the app stays usable. React has no hook for this. */
export class ScreenBoundary extends Component<Props, { problem?: Error }> {
  override state: { problem?: Error } = {};

  static getDerivedStateFromError(problem: Error) {
    return { problem };
  }

  override componentDidCatch() {
    // No editor will take the typed text.
    takeTyped();
  }

  override render() {
    const { problem } = this.state;
    if (!problem) return this.props.children;
    if (NOT_LOADED.test(problem.message)) return <NotLoaded />;
    return <Problem problem={problem} retry={() => location.reload()} />;
  }
}
