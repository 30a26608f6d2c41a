import { type ComponentType, useEffect, useRef } from "react";
import { createSharedState } from "./shared-state.ts";

// Actions of the current screen, offered by the palette.

export type ScreenAction = {
  name: string;
  icon?: ComponentType<{ size?: number | string }>;
  /** The key that does the same. */
  shortcut?: string;
  run: () => void;
};

/** `title`: what the actions apply to, such as "This record". */
type ScreenActions = { title: string; actions: readonly ScreenAction[] };

const currentActions = createSharedState<ScreenActions | undefined>(undefined);

export const useCurrentScreenActions = currentActions.use;

/** Offers actions while the screen is mounted. Running one calls its latest version. */
export function useScreenActions(title: string, actions: readonly ScreenAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  const names = actions.map(({ name }) => name).join("\n");
  useEffect(() => {
    const shown = latest.current.map(({ name, ...action }) => ({
      ...action,
      name,
      run: () => latest.current.find((one) => one.name === name)?.run(),
    }));
    const own = { title, actions: names === "" ? [] : shown };
    currentActions.set(own);
    return () => {
      if (currentActions.get() === own) currentActions.set(undefined);
    };
  }, [title, names]);
}
