import { createIcon } from "../../kit/icons.tsx";

// Icons that only the search screen uses, from the same set.

export const TextSearch = createIcon(
  "M21 5H3M10 12H3M10 19H3M14 15a3 3 0 1 0 6 0a3 3 0 1 0 -6 0M21 19l-1.9-1.9",
);
