import { type ComponentType, useEffect, useRef } from "react";
import { storeOf } from "./store.ts";

// What can be done with what the screen shows: the palette offers it.

export type ScreenAction = {
  name: string;
  icon?: ComponentType<{ size?: number | string }>;
  /** The key that does the same. */
  shortcut?: string;
  run: () => void;
};

/** `title` names what they are done with: "This record". */
type Offer = { title: string; actions: readonly ScreenAction[] };

const offer = storeOf<Offer | undefined>(undefined);

export const useOffered = offer.use;

/** Offers actions while the screen is shown. They are carried out as the screen has them then. */
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
    offer.set(own);
    return () => {
      if (offer.get() === own) offer.set(undefined);
    };
  }, [title, names]);
}
