import type { ActionInfo } from "../../kit/actions.ts";
import { Pin } from "../../kit/document-icons.ts";
import { Copy, FolderInput, History, Pencil, Tag, Trash2 } from "../../kit/icons.tsx";

/** The actions on documents that have a key. */
export const DOCUMENT_ACTIONS = {
  move: { name: "Move to…", help: "Move to a folder", icon: FolderInput, shortcut: "m" },
  tag: { name: "Add a tag", help: "Tags", icon: Tag, shortcut: "t" },
  trash: {
    name: "Move to trash",
    help: "Move to the trash",
    icon: Trash2,
    shortcut: "#",
    isDangerous: true,
  },
  edit: { name: "Edit", icon: Pencil, shortcut: "e" },
  versions: { name: "Versions", help: "Compare versions", icon: History, shortcut: "v" },
  copyLink: { name: "Copy link", help: "Copy the link", icon: Copy, shortcut: "y" },
  pin: { name: "Pin to the top", help: "Pin or unpin", icon: Pin, shortcut: "p" },
} satisfies Record<string, ActionInfo>;
