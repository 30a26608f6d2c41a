import { undo } from "@codemirror/commands";
import type { StateCommand } from "@codemirror/state";
import type { Command } from "@codemirror/view";
import { type Icon, Link, List, ListChecks, Quote } from "../../../kit/icons.tsx";
import { Bold, Code, Heading1, Heading2, Heading3, Italic, ListOrdered, Table, Undo2 } from "../icons.ts";

type Commands = typeof import("./format-commands.ts");
export type Format = { name: string; icon: Icon; key?: string; run: Command };

let commands: Commands | undefined;

/** Not needed for the first keystroke: loaded once the text is shown, or when one of them is run. */
export async function loadFormats(): Promise<Commands> {
  commands = await import("./format-commands.ts");
  return commands;
}

/** A command whose code may have to be loaded first. */
const later =
  (choose: (all: Commands) => StateCommand): Command =>
  (view) => {
    if (commands) return choose(commands)(view);
    loadFormats().then(
      (all) => choose(all)(view),
      () => undefined,
    );
    return true;
  };

const inline = (mark: string) => later(({ toggleInlineMark }) => toggleInlineMark(mark));
const line = (mark: string) => later(({ toggleLineMarker }) => toggleLineMarker(mark));

export const HEADINGS: Format[] = [
  { name: "Heading 1", icon: Heading1, run: line("# ") },
  { name: "Heading 2", icon: Heading2, run: line("## ") },
  { name: "Heading 3", icon: Heading3, run: line("### ") },
];
export const BOLD: Format = { name: "Bold", icon: Bold, key: "Mod-b", run: inline("**") };
export const LINK: Format = {
  name: "Link",
  icon: Link,
  key: "Mod-k",
  run: later(({ insertLink }) => insertLink),
};
export const LISTS: Format[] = [
  { name: "List", icon: List, run: line("- ") },
  { name: "Numbered list", icon: ListOrdered, run: line("1. ") },
  { name: "Tasks", icon: ListChecks, run: line("- [ ] ") },
];
export const TABLE: Format = { name: "Table", icon: Table, run: later(({ insertTable }) => insertTable) };
export const UNDO: Format = { name: "Undo", icon: Undo2, key: "Mod-z", run: undo };

export const FORMATS: Format[] = [
  ...HEADINGS,
  BOLD,
  { name: "Italic", icon: Italic, key: "Mod-i", run: inline("*") },
  { name: "Code", icon: Code, key: "Mod-e", run: inline("`") },
  LINK,
  ...LISTS,
  { name: "Quotation", icon: Quote, run: line("> ") },
  TABLE,
  UNDO,
];
