import { createIcon } from "../../../kit/icons.tsx";

// Icons used only above an on-screen keyboard, apart from those that every screen loads. Also from Lucide.

export const IndentDecrease = createIcon("M21 5H11M21 12H11M21 19H11M7 8l-4 4 4 4");
export const IndentIncrease = createIcon("M21 5H11M21 12H11M21 19H11M3 8l4 4-4 4");
export const KeyboardOff = createIcon(
  "M20 4A2 2 0 0 1 22 6M22 6L22 16.41M7 16L16 16M9.69 4L20 4M14 8h.01M18 8h.01M2 2l20 20M20 20H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2M6 8h.01M8 12h.01",
);
