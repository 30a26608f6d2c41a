import type { FileKind } from "../../api/files.ts";
import { File } from "../../kit/document-icons.ts";
import { createIcon, FileText, type Icon } from "../../kit/icons.tsx";

// Icons used only for files, apart from those that every screen loads. Also from Lucide.

export const Paperclip = createIcon(
  "M16 6l-8.414 8.586a2 2 0 0 0 2.829 2.829l8.414-8.586a4 4 0 1 0-5.657-5.657l-8.379 8.551a6 6 0 1 0 8.485 8.485l8.379-8.551",
);
export const Camera = createIcon(
  "M13.997 4a2 2 0 0 1 1.76 1.05l.486.9A2 2 0 0 0 18.003 7H20a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V9a2 2 0 0 1 2-2h1.997a2 2 0 0 0 1.759-1.048l.489-.904A2 2 0 0 1 10.004 4zM9 13a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
);
export const Image = createIcon(
  "M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-14a2 2 0 0 1 2 -2zM7 9a2 2 0 1 0 4 0a2 2 0 1 0 -4 0M21 15l-3.086-3.086a2 2 0 0 0-2.828 0L6 21",
);
const Music = createIcon(
  "M9 18V5l12-2v13M3 18a3 3 0 1 0 6 0a3 3 0 1 0 -6 0M15 16a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
);
const Video = createIcon(
  "M16 13l5.223 3.482a.5.5 0 0 0 .777-.416V7.87a.5.5 0 0 0-.752-.432L16 10.5M4 6h10a2 2 0 0 1 2 2v8a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-8a2 2 0 0 1 2 -2z",
);
export const ZoomIn = createIcon("M21 21l-4.35-4.35M11 8v6M8 11h6M3 11a8 8 0 1 0 16 0a8 8 0 1 0 -16 0");
export const ZoomOut = createIcon("M21 21l-4.35-4.35M8 11h6M3 11a8 8 0 1 0 16 0a8 8 0 1 0 -16 0");
export const Fit = createIcon(
  "M8 3H5a2 2 0 0 0-2 2v3M21 8V5a2 2 0 0 0-2-2h-3M3 16v3a2 2 0 0 0 2 2h3M16 21h3a2 2 0 0 0 2-2v-3",
);

export const FILE_ICONS: Record<FileKind, Icon> = {
  image: Image,
  pdf: FileText,
  audio: Music,
  video: Video,
  text: FileText,
  other: File,
};
