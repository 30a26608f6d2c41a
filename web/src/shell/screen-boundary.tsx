import { Component, type ReactNode } from "react";
import { ApiError } from "../api/request.ts";
import { UserFacingError } from "../api/user-facing-error.ts";
import { Button } from "../kit/button.tsx";
import { Problem } from "../kit/states.tsx";
import { scrollToTop } from "../state/list-positions.ts";
import { useOnReconnect } from "../state/retry-loop.ts";
import { takeTypedKeys } from "../state/typing-ahead.ts";

type Props = {
  children: ReactNode;
  /** For parts around the screens, which stay as they are: one that could not be loaded is only loaded again when asked. */
  isPart?: boolean;
};

/** Browsers' messages when a part of the app could not be loaded. */
const LOAD_ERROR = /dynamically imported module|importing a module script failed|preload CSS/i;
const NOT_LOADED = new UserFacingError("This part couldn’t be loaded.");
const RELOADED_KEY = "commonplace-reloaded";
const MIN_RELOAD_MS = 60_000;

/** Reloads at most once a minute: the part may be missing permanently. */
function reloadOnce(): void {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_KEY)) < MIN_RELOAD_MS) return;
  sessionStorage.setItem(RELOADED_KEY, String(Date.now()));
  location.reload();
}

/** Reloads the page once the server is reachable, to load the missing part. */
function NotLoaded() {
  useOnReconnect(reloadOnce);
  return (
    <Problem problem={new ApiError(0, "This screen couldn’t be loaded")} retry={() => location.reload()} />
  );
}

/** `isRetried`: loading a part was tried again. */
type State = { problem?: Error; isRetried?: boolean };

/** Confines an error to its screen, so that the rest of the app stays usable. React has no hook for this. */
export class ScreenBoundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(problem: Error) {
    return { problem };
  }

  override componentWillUnmount() {
    if (!this.props.isPart) scrollToTop();
  }

  override componentDidCatch() {
    // No editor will take the typed text.
    if (!this.props.isPart) takeTypedKeys();
  }

  override render() {
    const { problem, isRetried } = this.state;
    const { children, isPart } = this.props;
    if (!problem) return children;
    const isLoading = LOAD_ERROR.test(problem.message);
    // Firefox never asks again for a script that it could not load, until the page is reloaded.
    if (isLoading && isPart)
      return (
        <Problem problem={NOT_LOADED} retry={() => this.setState({ problem: undefined, isRetried: true })}>
          {isRetried && <Button onPress={() => location.reload()}>Reload</Button>}
        </Problem>
      );
    if (isLoading) return <NotLoaded />;
    return <Problem problem={problem} retry={() => location.reload()} />;
  }
}
