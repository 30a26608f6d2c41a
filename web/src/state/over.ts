import { storeOf } from "./store.ts";

/** What lies over the screen: the palette, the list of shortcuts, or nothing. */
type Over = "palette" | "shortcuts" | undefined;

const over = storeOf<Over>(undefined);

export const show = over.set;

export const togglePalette = () => show(over.get() === "palette" ? undefined : "palette");

export const useOver = over.use;
