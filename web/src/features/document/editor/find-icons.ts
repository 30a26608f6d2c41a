import { createIcon } from "../../../kit/icons.tsx";

// Icons used only for finding in a text, apart from those that every screen loads. Also from Lucide.

export const CaseSensitive = createIcon(
  "M2 16 6.039 6.31a.5.5 0 0 1 .923 0L11 16M22 9v7M3.304 13h6.392M15 12.5a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0",
);
export const ChevronUp = createIcon("M18 15l-6-6-6 6");
export const Regex = createIcon(
  "M17 3v10M12.67 5.5l8.66 5M12.67 10.5l8.66-5M9 17a2 2 0 0 0-2-2H5a2 2 0 0 0-2 2v2a2 2 0 0 0 2 2h2a2 2 0 0 0 2-2v-2z",
);
export const WholeWord = createIcon(
  "M4 12a3 3 0 1 0 6 0a3 3 0 1 0 -6 0M10 9v6M14 12a3 3 0 1 0 6 0a3 3 0 1 0 -6 0M14 7v8M22 17v1c0 .5-.5 1-1 1H3c-.5 0-1-.5-1-1v-1",
);
