import { createSharedState } from "./shared-state.ts";

type Overlay = "palette" | "shortcuts" | undefined;

const overlay = createSharedState<Overlay>(undefined);

export const showOverlay = overlay.set;

export const togglePalette = () => showOverlay(overlay.get() === "palette" ? undefined : "palette");

export const useOverlay = overlay.use;
