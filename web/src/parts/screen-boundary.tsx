import { Component, type ReactNode } from "react";
import { Problem } from "../kit/states.tsx";

type Props = { children: ReactNode };

/** Shows a failure of one screen in its place, so that the rest of the app stays usable. React has no hook for this. */
export class ScreenBoundary extends Component<Props, { problem?: Error }> {
  override state: { problem?: Error } = {};

  static getDerivedStateFromError(problem: Error) {
    return { problem };
  }

  override render() {
    const { problem } = this.state;
    if (!problem) return this.props.children;
    return <Problem problem={problem} retry={() => location.reload()} />;
  }
}
