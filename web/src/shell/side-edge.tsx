import type { KeyboardEvent, PointerEvent } from "react";
import { SIDE, setSideWidth, useSideWidth } from "../state/side-width.ts";
import styles from "./side-edge.module.css";

const inRem = (pixels: number) =>
  pixels / Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** The edge of the sidebar: drag it or use the arrow keys to resize. A double click restores the default width. */
export default function SideEdge() {
  const width = useSideWidth();
  const reset = () => setSideWidth(SIDE.usual);
  const drag = ({ currentTarget, pointerId, clientX }: PointerEvent<HTMLElement>) => {
    if (!currentTarget.hasPointerCapture(pointerId)) return;
    const { left } = currentTarget.parentElement?.getBoundingClientRect() ?? { left: 0 };
    setSideWidth(inRem(clientX - left));
  };
  const press = (event: KeyboardEvent) => {
    const next = {
      ArrowLeft: width - 1,
      ArrowRight: width + 1,
      Home: SIDE.least,
      End: SIDE.most,
      Enter: SIDE.usual,
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
      aria-valuemin={SIDE.least}
      aria-valuemax={SIDE.most}
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
