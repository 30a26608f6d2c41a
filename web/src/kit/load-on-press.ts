import { type ComponentType, useState } from "react";
import { PART_NOT_LOADED, toast } from "../state/toasts.ts";

/** A component that is loaded on a press; a toast says if it cannot be. Returns it once it is there, and what loads it. */
export function useLoadOnPress<Props>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): [ComponentType<Props> | undefined, () => void] {
  const [View, setView] = useState<ComponentType<Props>>();
  const press = () =>
    void load().then(
      ({ default: view }) => setView(() => view),
      () => toast({ kind: "refused", text: PART_NOT_LOADED }),
    );
  return [View, press];
}
