import type { StateCommand } from "@codemirror/state";
import {
  Bold,
  Code,
  Heading2,
  type Icon,
  Italic,
  Link,
  List,
  ListChecks,
  Quote,
} from "../../../kit/icons.tsx";
import { insertLink, toggleInlineMark, toggleLineMarker } from "../format.ts";

export type Format = { name: string; icon: Icon; key?: string; run: StateCommand };

export const HEADING: Format = { name: "Heading", icon: Heading2, run: toggleLineMarker("## ") };
export const BOLD: Format = { name: "Bold", icon: Bold, key: "Mod-b", run: toggleInlineMark("**") };
export const LINK: Format = { name: "Link", icon: Link, key: "Mod-k", run: insertLink };
export const LIST: Format = { name: "List", icon: List, run: toggleLineMarker("- ") };
export const TASKS: Format = { name: "Tasks", icon: ListChecks, run: toggleLineMarker("- [ ] ") };

export const FORMATS: Format[] = [
  HEADING,
  BOLD,
  { name: "Italic", icon: Italic, key: "Mod-i", run: toggleInlineMark("*") },
  { name: "Code", icon: Code, key: "Mod-e", run: toggleInlineMark("`") },
  LINK,
  LIST,
  TASKS,
  { name: "Quotation", icon: Quote, run: toggleLineMarker("> ") },
];
