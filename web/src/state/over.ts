import { storeOf } from "./store.ts";

/** What is open above the screen. */
type Over = "palette" | "shortcuts" | undefined;

const over = storeOf<Over>(undefined);

export const show = over.set;

export const togglePalette = () => show(over.get() === "palette" ? undefined : "palette");

export const useOver = over.use;
