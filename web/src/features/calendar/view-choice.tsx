import { useLocation } from "wouter";
import { screenPath } from "../../../../src/contract/paths.ts";
import { Segments } from "../../kit/segments.tsx";
import { VIEWS, type View } from "./calendar-view.ts";

type Props = { view: View | "list"; onView: (view: View) => void };

/** The days as a list, a month or a week. */
export function ViewChoice({ view, onView }: Props) {
  const [, navigate] = useLocation();
  return (
    <Segments
      label="View"
      value={view}
      options={VIEWS}
      onChange={(next) => (next === "list" ? navigate(screenPath("upcoming")) : onView(next))}
    />
  );
}
