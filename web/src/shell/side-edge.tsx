import type { KeyboardEvent, PointerEvent } from "react";
import { SIDE_WIDTH, setSideWidth, useSideWidth } from "../state/side-width.ts";
import styles from "./side-edge.module.css";

const toRem = (pixels: number) =>
  pixels / Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** The edge of the sidebar: drag it or use the arrow keys to resize. A double click restores the default width. */
export default function SideEdge() {
  const width = useSideWidth();
  const reset = () => setSideWidth(SIDE_WIDTH.usual);
  const drag = ({ currentTarget, pointerId, clientX }: PointerEvent<HTMLElement>) => {
    if (!currentTarget.hasPointerCapture(pointerId)) return;
    const { left } = currentTarget.parentElement?.getBoundingClientRect() ?? { left: 0 };
    setSideWidth(toRem(clientX - left));
  };
  const press = (event: KeyboardEvent) => {
    const next = {
      ArrowLeft: width - 1,
      ArrowRight: width + 1,
      Home: SIDE_WIDTH.least,
      End: SIDE_WIDTH.most,
      Enter: SIDE_WIDTH.usual,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setSideWidth(next);
  };
  return (
    <hr
      className={styles.edge}
      aria-label="Width of the sidebar"
      aria-orientation="vertical"
      aria-valuenow={Math.round(width)}
      aria-valuemin={SIDE_WIDTH.least}
      aria-valuemax={SIDE_WIDTH.most}
      title="Drag to resize the sidebar; double-click for the default width"
      tabIndex={0}
      // Otherwise an element next to the edge, such as a folder, would be dragged.
      onMouseDown={(event) => event.preventDefault()}
      onPointerDown={({ currentTarget, pointerId, button }) => {
        if (button === 0) currentTarget.setPointerCapture(pointerId);
      }}
      onPointerMove={drag}
      onDoubleClick={reset}
      onKeyDown={press}
    />
  );
}
