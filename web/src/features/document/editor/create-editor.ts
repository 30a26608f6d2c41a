import { EditorState, type Extension, Transaction } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import type { EditorText } from "../document-editor.ts";
import styles from "../editor.module.css";
import type { ResolveLink } from "../linked/linked-documents.ts";
import type { InitialPosition } from "../plain-editor.tsx";
import { keepLine, type ScrollPosition } from "../resume-point.ts";
import { whenStill } from "../when-still.ts";
import type { Kind } from "../writing.ts";
import type { MakeCommitment } from "./commit-task.ts";
import { createEditorObserver, type ObservedEditor } from "./editor-observer.ts";
import { editorExtensions, type KeyHandlers } from "./extensions.ts";
import { isFocusMode } from "./focus-mode.ts";
import { linkResolver } from "./known-links.ts";
import { editorScrollPosition, topAt } from "./scroll-position.ts";
import { TASK_START } from "./task-box.ts";
import { belowTitle, hideTitleHeading } from "./title-heading.ts";

// Creates the editor of a text, also ahead of time, while the text is being read: most of what a click would otherwise wait for
// is drawing and measuring.

export type EditorHandlers = KeyHandlers & {
  onChange: (text: EditorText) => void;
  /** Turns the task at the cursor into a commitment. */
  onCommit: MakeCommitment;
};

/**
 * Who is told what is done in an editor: nobody until the screen around it is there. `kept`: a line that stays where it was seen
 * while the editor is opened.
 */
type Owner = { handlers?: EditorHandlers; kept?: ScrollPosition | undefined };

export type EditedText = { kind: Kind; title: string; text: string };

/** `host` has the editor in its shadow root. */
export type CreatedEditor = ObservedEditor & { host: HTMLElement; owner: Owner };

export const loadCommitTask = () => import("./commit-task.ts");

/** The key that turns the task at the cursor into a commitment, once the code for that is loaded. */
function commitKey(owner: Owner): Extension {
  /** Where the key was last pressed, which what is typed until the code is loaded may move. */
  let at = 0;
  const follow = EditorView.updateListener.of(({ changes }) => {
    at = changes.mapPos(at, -1);
  });
  const run = (view: EditorView) => {
    const { head } = view.state.selection.main;
    if (!TASK_START.test(view.state.doc.lineAt(head).text)) return false;
    at = head;
    const commit: MakeCommitment = async (words, linking) => owner.handlers?.onCommit(words, linking);
    loadCommitTask().then(
      ({ commitTaskAt }) => view.dom.isConnected && commitTaskAt(view, at, commit),
      () => undefined,
    );
    return true;
  };
  return [follow, keymap.of([{ key: "Mod-Shift-Enter", run }])];
}

const selectionAt = ({ cursor = 0, selectionStart = cursor }: InitialPosition) => ({
  anchor: Math.min(selectionStart, cursor),
  head: cursor,
});

/** Moves the cursor to where an editor begins, which cannot be undone, and the page to what was seen. */
function begin({ view, owner }: CreatedEditor, beginning: InitialPosition): void {
  const { state } = view;
  const { cursor, scrollPosition: seen } = beginning;
  const kept = seen && { ...seen, at: Math.min(seen.at, state.doc.length) };
  owner.kept = kept;
  view.dispatch({
    selection: belowTitle(state, selectionAt(beginning)),
    annotations: Transaction.addToHistory.of(false),
    effects: kept ? EditorView.scrollIntoView(kept.at, { y: "start", yMargin: kept.top }) : [],
  });
  if (cursor !== undefined) view.focus();
  if (kept) keepLine(kept, () => (view.dom.isConnected ? topAt(view, kept.at) : undefined));
}

function createState({ kind, title, text }: EditedText, resolve: ResolveLink) {
  const owner: Owner = {};
  const watched = createEditorObserver();
  const changed = EditorView.updateListener.of(({ changes, state, transactions }) => {
    if (owner.kept) owner.kept.at = changes.mapPos(owner.kept.at);
    const isMine = transactions.some((one) => one.docChanged && !one.annotation(Transaction.remote));
    if (isMine) owner.handlers?.onChange(state.doc);
  });
  const extensions = [
    editorExtensions(kind, {
      onSave: () => owner.handlers?.onSave(),
      onLeave: () => owner.handlers?.onLeave(),
      onFind: () => owner.handlers?.onFind(),
      onFocusMode: () => owner.handlers?.onFocusMode(),
      onFiles: (files, at) => owner.handlers?.onFiles(files, at),
    }),
    kind === "markdown" ? commitKey(owner) : [],
    watched.extension,
    changed,
    hideTitleHeading(title),
    linkResolver.init(() => resolve),
  ];
  return { state: EditorState.create({ doc: text, extensions }), owner, watched };
}

/**
 * Puts a new editor into an element. In a shadow root, CodeMirror adopts its styles as style sheets. Elsewhere it would write an
 * inline style element, which the Content-Security-Policy forbids.
 */
function show({ state, ...made }: ReturnType<typeof createState>, parent: HTMLElement): CreatedEditor {
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  parent.append(host);
  return { ...made, host, view: new EditorView({ state, parent: root, root }) };
}

/** An editor that was created ahead of time; `place` contains it, before the text that it will replace. */
type Prepared = { of: EditedText; isFocused: boolean; editor: CreatedEditor; place: HTMLElement };
let prepared: Prepared | undefined;

function discard(): void {
  prepared?.place.remove();
  prepared?.editor.view.destroy();
  prepared = undefined;
}

/**
 * Creates the editor of a text that is being read, in several tasks, between which the page answers. Returns a function that
 * discards it, unless it was opened.
 *
 * @param resolve tells where its links lead
 * @param articleOf finds the element with the text
 */
export function prepareEditor(
  of: EditedText,
  resolve: ResolveLink,
  articleOf: () => HTMLElement | null,
): () => void {
  let isWanted = true;
  const next = (work: () => void) => whenStill(() => isWanted && work());
  next(() => {
    const state = createState(of, resolve);
    next(() => {
      const article = articleOf();
      if (!article) return;
      discard();
      const place = document.createElement("div");
      place.className = `${styles.text} ${styles.prepared}`;
      place.style.setProperty("--width", `${article.clientWidth}px`);
      article.before(place);
      prepared = { of, isFocused: isFocusMode(), editor: show(state, place), place };
      next(() => {
        // Measures, unless a frame has done so.
        prepared?.editor.view.coordsAtPos(0);
        place.dataset.measured = "";
      });
    });
  });
  return () => {
    isWanted = false;
    // One that is shown stays: a change of the text is merged once the screen around it is there.
    if (prepared?.of === of && !isShown(prepared)) discard();
  };
}

/** Whether an editor is as it would be created now. Focus mode may have been changed in another tab. */
const isCurrent = ({ of: { kind, title, text }, isFocused }: Prepared, now: EditedText) =>
  kind === now.kind && title === now.title && text === now.text && isFocused === isFocusMode();

/** Whether an editor is shown in place of the text, in a page that is not left yet. */
const isShown = ({ place }: Prepared) => "writing" in place.dataset && place.isConnected;

/**
 * Shows the prepared editor in place of the text, within the click. The screen around it follows with `openEditor`. Returns
 * what tells where its text is seen then, and false once it was left; undefined if no such editor is prepared.
 */
export function showPrepared(
  of: EditedText,
  beginning: InitialPosition,
): (() => false | { seen: ScrollPosition | undefined }) | undefined {
  const shown = prepared;
  if (!shown || !isCurrent(shown, of)) return undefined;
  const { editor, place } = shown;
  place.className = styles.text ?? "";
  place.dataset.writing = "";
  begin(editor, beginning);
  return () => isShown(shown) && { seen: editorScrollPosition(editor.view) };
}

/** The editor of a text in an element: the one that was prepared, if there is one. */
export function openEditor(
  of: EditedText,
  beginning: InitialPosition & { resolveTarget: ResolveLink },
  parent: HTMLElement,
): CreatedEditor {
  if (!prepared || !isCurrent(prepared, of)) discard();
  const editor = prepared?.editor ?? show(createState(of, beginning.resolveTarget), parent);
  // Its removal took its focus, which Firefox tells nobody: CodeMirror would take the selection for that of before.
  editor.view.contentDOM.dispatchEvent(new Event("blur"));
  prepared?.place.remove();
  prepared = undefined;
  parent.append(editor.host);
  begin(editor, beginning);
  return editor;
}
