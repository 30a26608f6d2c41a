import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { indentOnInput } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, keymap, placeholder } from "@codemirror/view";
import { codeTheme } from "../code-theme.ts";
import { takeTransferredFiles } from "../transferred-files.ts";
import type { Kind } from "../writing.ts";
import { caret } from "./caret.ts";
import { directionIn } from "./containers.ts";
import { directed } from "./decorations.ts";
import { focusMode } from "./focus-mode.ts";
import { FORMATS } from "./formats.ts";
import { indentItems, outdentItems } from "./list-commands.ts";
import { livePreview } from "./live.ts";
import { pasteHandling } from "./paste.ts";
import { tickTasks } from "./tick-tasks.ts";

export type KeyHandlers = {
  onSave: () => void;
  onLeave: () => void;
  onFind: () => void;
  onFocusMode: () => void;
  /** Called with pasted files, or with files dropped at an offset of the text. */
  onFiles: (files: File[], at?: number) => void;
};

/** A command that handles the key completely. */
const handled = (run: () => void) => () => {
  run();
  return true;
};

/** The browser finds out the direction of a longer line too slowly, at each change of what is drawn of it. */
const MAX_AUTO = 2000;

const DIRECTIONS = [
  EditorView.perLineTextDirection.of(true),
  EditorView.decorations.of(({ viewportLineBlocks, state }) =>
    Decoration.set(
      viewportLineBlocks.map((line) =>
        directed(line.length > MAX_AUTO ? directionIn(state, line) : "auto").range(line.from),
      ),
    ),
  ),
];

const MARGIN_PX = 16;

/** The height of the bars at the bottom of the page, in pixels. */
const coveredHeight = (): number =>
  [...document.querySelectorAll<HTMLElement>("[data-at-end]")].reduce(
    (sum, bar) => sum + bar.offsetHeight,
    0,
  );

/**
 * Keeps the cursor's line above these bars. Where they do not cover the text there is no margin: CodeMirror hides its lists
 * when the cursor is in it.
 */
const ABOVE_BARS = EditorView.scrollMargins.of(({ scrollDOM }) => {
  const covered = coveredHeight() + MARGIN_PX;
  return { bottom: scrollDOM.getBoundingClientRect().bottom > innerHeight - covered ? covered : 0 };
});

const markdownExtensions = (): Extension => [
  livePreview,
  pasteHandling(),
  indentOnInput(),
  keymap.of([
    ...FORMATS.flatMap(({ key, run }) => (key ? [{ key, run }] : [])),
    { key: "Mod-Enter", run: tickTasks },
    { key: "Tab", run: indentItems, shift: outdentItems },
  ]),
];

export const editorExtensions = (
  kind: Kind,
  { onSave, onLeave, onFind, onFocusMode, onFiles }: KeyHandlers,
): Extension => [
  history(),
  caret,
  // Before the other paste handlers.
  EditorView.domEventHandlers({
    paste: (event) => takeTransferredFiles(event, event.clipboardData, onFiles),
    drop: (event, view) =>
      takeTransferredFiles(event, event.dataTransfer, (files) =>
        onFiles(files, view.posAtCoords(event) ?? undefined),
      ),
  }),
  // Before the live preview, which sets the direction of some lines.
  DIRECTIONS,
  kind === "markdown" ? markdownExtensions() : [],
  keymap.of([
    { key: "Mod-s", run: handled(onSave) },
    { key: "Escape", run: handled(onLeave) },
    { key: "Mod-f", run: handled(onFind) },
    { key: "Mod-Alt-f", run: handled(onFind) },
    // On a Mac this key hides the window.
    { win: "Ctrl-h", linux: "Ctrl-h", run: handled(onFind) },
    { key: "Mod-.", run: handled(onFocusMode) },
    ...defaultKeymap,
    ...historyKeymap,
    ...(kind === "json" ? [indentWithTab] : []),
  ]),
  focusMode(),
  codeTheme(kind),
  ABOVE_BARS,
  // The label of the insert menu. Given later, with the menu, it would make the editor draw everything anew.
  EditorState.phrases.of({ Completions: "Insert" }),
  placeholder(kind === "markdown" ? "Write in Markdown…" : ""),
  EditorView.contentAttributes.of({ "aria-label": "Text", spellcheck: kind === "json" ? "false" : "true" }),
];
