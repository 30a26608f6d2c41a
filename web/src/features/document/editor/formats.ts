import { undo } from "@codemirror/commands";
import type { StateCommand } from "@codemirror/state";
import {
  Bold,
  Code,
  Heading1,
  Heading2,
  Heading3,
  type Icon,
  Italic,
  Link,
  List,
  ListChecks,
  ListOrdered,
  Quote,
  Table,
  Undo2,
} from "../../../kit/icons.tsx";
import { insertLink, toggleInlineMark, toggleLineMarker } from "../format.ts";
import { insertTable } from "./blocks.ts";

export type Format = { name: string; icon: Icon; key?: string; run: StateCommand };

export const HEADINGS: Format[] = [
  { name: "Heading 1", icon: Heading1, run: toggleLineMarker("# ") },
  { name: "Heading 2", icon: Heading2, run: toggleLineMarker("## ") },
  { name: "Heading 3", icon: Heading3, run: toggleLineMarker("### ") },
];
export const BOLD: Format = { name: "Bold", icon: Bold, key: "Mod-b", run: toggleInlineMark("**") };
export const LINK: Format = { name: "Link", icon: Link, key: "Mod-k", run: insertLink };
export const LISTS: Format[] = [
  { name: "List", icon: List, run: toggleLineMarker("- ") },
  { name: "Numbered list", icon: ListOrdered, run: toggleLineMarker("1. ") },
  { name: "Tasks", icon: ListChecks, run: toggleLineMarker("- [ ] ") },
];
export const TABLE: Format = { name: "Table", icon: Table, run: insertTable };
export const UNDO: Format = { name: "Undo", icon: Undo2, key: "Mod-z", run: undo };

export const FORMATS: Format[] = [
  ...HEADINGS,
  BOLD,
  { name: "Italic", icon: Italic, key: "Mod-i", run: toggleInlineMark("*") },
  { name: "Code", icon: Code, key: "Mod-e", run: toggleInlineMark("`") },
  LINK,
  ...LISTS,
  { name: "Quotation", icon: Quote, run: toggleLineMarker("> ") },
  TABLE,
  UNDO,
];
