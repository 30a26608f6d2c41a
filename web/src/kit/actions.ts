import { useEffect, useRef } from "react";
import { createSharedState } from "../state/shared-state.ts";
import type { Icon } from "./icons.tsx";
import { type Shortcuts, useShortcuts } from "./shortcuts.ts";

/** What an action is called and how it looks. Declared once for each action, before there is anything to run it on. */
export type ActionInfo = {
  name: string;
  /** In the list of shortcuts, if different from the name. */
  help?: string;
  /** What people call it as well: the palette finds it by these words. */
  words?: string;
  icon?: Icon;
  /** The key that runs it, in the form of `Shortcuts`. */
  shortcut?: string;
  isDangerous?: boolean;
};

/** An action of a screen or an item, shown as a button, in a menu or in the palette. */
export type Action = ActionInfo & {
  /** Distinguishes actions with the same name. */
  id?: string;
  /** For an item that only informs. */
  isDisabled?: boolean;
  /** Whether the page has a control for it, so that its menu leaves it out. */
  isOnPage?: boolean;
  run: () => void;
};

export const actionKeys = (actions: readonly Action[]): Shortcuts =>
  Object.fromEntries(actions.flatMap(({ shortcut, run }) => (shortcut ? [[shortcut, () => run()]] : [])));

/** `title`: what the actions apply to, such as "This record". */
type ScreenActions = { title: string; actions: readonly Action[] };

const currentActions = createSharedState<ScreenActions | undefined>(undefined);

export const useCurrentScreenActions = currentActions.use;

/** While the screen is mounted, the palette and the keys run its actions, each in its latest version. */
export function useScreenActions(title: string, actions: readonly Action[]): void {
  useShortcuts(actionKeys(actions));
  usePaletteActions(title, actions);
}

/** The same, for actions whose keys do more than run them. */
export function usePaletteActions(title: string, actions: readonly Action[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  const names = actions.map(({ name }) => name).join("\n");
  useEffect(() => {
    const shown = latest.current.map((action) => ({
      ...action,
      run: () => latest.current.find(({ name }) => name === action.name)?.run(),
    }));
    const own = { title, actions: names === "" ? [] : shown };
    currentActions.set(own);
    return () => {
      if (currentActions.get() === own) currentActions.set(undefined);
    };
  }, [title, names]);
}
