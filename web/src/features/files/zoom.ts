import { type PointerEvent, useEffect, useRef, useState, type WheelEvent } from "react";

// Zooming and panning a picture with keys, wheel, touch and double click.

/** `x` and `y`: offset of the picture's center, in pixels. */
export type Zoom = { scale: number; x: number; y: number };

const WHOLE: Zoom = { scale: 1, x: 0, y: 0 };
const MAX_SCALE = 8;
const STEP = 1.5;
const DOUBLE_CLICK_SCALE = 2.5;

type Point = { x: number; y: number };

const clamp = (value: number, most: number) => Math.max(-most, Math.min(most, value));

/** Limits panning to the edges of the picture. */
function clampToFrame({ scale, x, y }: Zoom, { clientWidth, clientHeight }: HTMLElement): Zoom {
  if (scale <= 1) return WHOLE;
  const room = (scale - 1) / 2;
  return { scale, x: clamp(x, clientWidth * room), y: clamp(y, clientHeight * room) };
}

/** Scales by a factor around a fixed point. */
function scaleAround({ scale, x, y }: Zoom, factor: number, at: Point): Zoom {
  const next = Math.min(MAX_SCALE, Math.max(1, scale * factor));
  const grown = next / scale;
  return { scale: next, x: at.x - (at.x - x) * grown, y: at.y - (at.y - y) * grown };
}

const MIDDLE: Point = { x: 0, y: 0 };
const between = ([one, other]: Point[]): Point => ({
  x: ((one?.x ?? 0) + (other?.x ?? one?.x ?? 0)) / 2,
  y: ((one?.y ?? 0) + (other?.y ?? one?.y ?? 0)) / 2,
});
const distance = ([one, other]: Point[]): number =>
  one && other ? Math.hypot(one.x - other.x, one.y - other.y) : 0;

/** The zoom state of a picture in a frame, and its event handlers. */
export function useZoom(id: string) {
  const [zoom, setZoom] = useState(WHOLE);
  const frame = useRef<HTMLDivElement>(null);
  const fingers = useRef(new Map<number, Point>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new picture is shown whole
  useEffect(() => setZoom(WHOLE), [id]);
  const change = (next: (before: Zoom) => Zoom) =>
    setZoom((before) => (frame.current ? clampToFrame(next(before), frame.current) : before));
  const pointIn = ({ clientX, clientY }: { clientX: number; clientY: number }): Point => {
    const box = frame.current?.getBoundingClientRect();
    return box ? { x: clientX - box.left - box.width / 2, y: clientY - box.top - box.height / 2 } : MIDDLE;
  };
  const zoomBy = (factor: number, at: Point = MIDDLE) => change((before) => scaleAround(before, factor, at));
  const move = (x: number, y: number) =>
    change((before) => ({ ...before, x: before.x + x, y: before.y + y }));
  const releasePointer = ({ pointerId }: PointerEvent) => void fingers.current.delete(pointerId);
  const drag = (event: PointerEvent) => {
    const before = [...fingers.current.values()];
    if (!fingers.current.has(event.pointerId)) return;
    fingers.current.set(event.pointerId, pointIn(event));
    const now = [...fingers.current.values()];
    const [from, to] = [between(before), between(now)];
    if (now.length > 1 && distance(before) > 0) zoomBy(distance(now) / distance(before), to);
    move(to.x - from.x, to.y - from.y);
  };
  return {
    zoom,
    frame,
    isWhole: zoom.scale === 1,
    larger: () => zoomBy(STEP),
    smaller: () => zoomBy(1 / STEP),
    whole: () => setZoom(WHOLE),
    move,
    handlers: {
      onWheel: (event: WheelEvent) => zoomBy(event.deltaY < 0 ? 1.15 : 1 / 1.15, pointIn(event)),
      onDoubleClick: (event: { clientX: number; clientY: number }) =>
        zoom.scale > 1 ? setZoom(WHOLE) : zoomBy(DOUBLE_CLICK_SCALE, pointIn(event)),
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        fingers.current.set(event.pointerId, pointIn(event));
      },
      onPointerMove: drag,
      onPointerUp: releasePointer,
      onPointerCancel: releasePointer,
    },
  };
}
