import type { KeyboardEvent, PointerEvent } from "react";
import { SIDE, setSideWidth, useSideWidth } from "../state/side-width.ts";
import styles from "./side-edge.module.css";

const inRem = (pixels: number) =>
  pixels / Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** The edge of the sidebar, which changes its width: dragged, or by arrows. A double click makes it as it was at first. */
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
      title="Drag to make the sidebar wider or narrower; double click for the usual width"
      tabIndex={0}
      // Or what the edge has left would be dragged, such as a folder.
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
