import { EditorState, type Extension, Transaction, type TransactionSpec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { whenIdle } from "../../../state/when-idle.ts";
import type { EditorText } from "../document-editor.ts";
import styles from "../editor.module.css";
import type { ResolveLink } from "../linked/linked-documents.ts";
import type { InitialPosition } from "../plain-editor.tsx";
import type { Kind } from "../writing.ts";
import type { MakeCommitment } from "./commit-task.ts";
import { createEditorObserver, type ObservedEditor } from "./editor-observer.ts";
import { editorExtensions, type KeyHandlers } from "./extensions.ts";
import { isFocusMode } from "./focus-mode.ts";
import { linkResolver, setResolver } from "./known-links.ts";
import { scrollToPosition } from "./scroll-position.ts";
import { TASK_START } from "./task-box.ts";
import { belowTitle, hideTitleHeading } from "./title-heading.ts";

// Creates the editor of a text, also ahead of time, while the text is being read: most of what a click would otherwise wait for
// is drawing and measuring.

export type EditorHandlers = KeyHandlers & {
  onChange: (text: EditorText) => void;
  /** Turns the task at the cursor into a commitment. */
  onCommit: MakeCommitment;
};

/** Who is told what is done in an editor: nobody until it is on the screen. */
type Owner = { handlers?: EditorHandlers };

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

type NewEditor = { state: EditorState; owner: Owner; watched: ObservedEditor["watched"] };

const selectionAt = ({ cursor = 0, selectionStart = cursor }: InitialPosition) => ({
  anchor: Math.min(selectionStart, cursor),
  head: cursor,
});

/** Where a new editor begins, and where its links lead. */
type Beginning = InitialPosition & { resolveTarget: ResolveLink };

const UNKNOWN: Beginning = { cursor: 0, scrollPosition: undefined, resolveTarget: () => undefined };

/** Moves the cursor to where it begins, which cannot be undone. */
const moveTo = (state: EditorState, beginning: Beginning): TransactionSpec => ({
  selection: belowTitle(state, selectionAt(beginning)),
  annotations: Transaction.addToHistory.of(false),
});

function createState({ kind, title, text }: EditedText, beginning: Beginning): NewEditor {
  const owner: Owner = {};
  const watched = createEditorObserver();
  const changed = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
    const isMine = transactions.some((one) => one.docChanged && !one.annotation(Transaction.remote));
    if (docChanged && isMine) owner.handlers?.onChange(state.doc);
  });
  const extensions = [
    editorExtensions(kind, {
      onSave: () => owner.handlers?.onSave(),
      onLeave: () => owner.handlers?.onLeave(),
      onFind: () => owner.handlers?.onFind(),
      onFocusMode: () => owner.handlers?.onFocusMode(),
      onFollow: (link) => owner.handlers?.onFollow(link),
      onFiles: (files, at) => owner.handlers?.onFiles(files, at),
    }),
    kind === "markdown" ? commitKey(owner) : [],
    watched.extension,
    changed,
    hideTitleHeading(title),
    linkResolver.init(() => beginning.resolveTarget),
  ];
  const state = EditorState.create({ doc: text, extensions });
  return { state: state.update(moveTo(state, beginning)).state, owner, watched };
}

/**
 * Puts a new editor into an element. In a shadow root, CodeMirror adopts its styles as style sheets. Elsewhere it would write an
 * inline style element, which the Content-Security-Policy forbids.
 */
function show(
  { state, ...made }: NewEditor,
  parent: HTMLElement,
  scrollPosition?: InitialPosition["scrollPosition"],
): CreatedEditor {
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  parent.append(host);
  const scroll = scrollPosition && { scrollTo: scrollToPosition(scrollPosition, state) };
  return { ...made, host, view: new EditorView({ state, parent: root, root, ...scroll }) };
}

/** An editor that was created ahead of time; `unseen` contains it until it is measured. */
type Prepared = { of: EditedText; isFocused: boolean; editor: CreatedEditor; unseen: HTMLElement };
let prepared: Prepared | undefined;

function discard(): void {
  prepared?.unseen.remove();
  prepared?.editor.view.destroy();
  prepared = undefined;
}

function unseenPlace(width: number): HTMLElement {
  const unseen = document.createElement("div");
  unseen.className = `${styles.text} ${styles.unseen}`;
  unseen.style.width = `${width}px`;
  document.body.append(unseen);
  return unseen;
}

/**
 * Creates the editor of a text that is being read, in several tasks, between which the page answers. Returns a function that
 * discards it, unless it was opened.
 *
 * @param width of the column with the text, in pixels
 */
export function prepareEditor(of: EditedText, width: () => number): () => void {
  let isWanted = true;
  const next = (work: () => void) => whenIdle(() => isWanted && work(), 3000);
  next(() => {
    const state = createState(of, UNKNOWN);
    next(() => {
      discard();
      const unseen = unseenPlace(width());
      const editor = show(state, unseen);
      prepared = { of, isFocused: isFocusMode(), editor, unseen };
      next(() => {
        // Measures, unless a frame has done so.
        if (prepared?.unseen === unseen) prepared.editor.view.coordsAtPos(0);
        unseen.remove();
      });
    });
  });
  return () => {
    isWanted = false;
    if (prepared?.of === of) discard();
  };
}

/** Whether an editor is as it would be created now. Focus mode may have been changed in another tab. */
const isCurrent = ({ of: { kind, title, text }, isFocused }: Prepared, now: EditedText) =>
  kind === now.kind && title === now.title && text === now.text && isFocused === isFocusMode();

/** The editor of a text in an element: the one that was prepared, if there is one. */
export function openEditor(of: EditedText, beginning: Beginning, parent: HTMLElement): CreatedEditor {
  const { scrollPosition } = beginning;
  if (!prepared || !isCurrent(prepared, of)) {
    discard();
    return show(createState(of, beginning), parent, scrollPosition);
  }
  const { editor, unseen } = prepared;
  prepared = undefined;
  // Outside the page, where no change makes the browser lay it out.
  unseen.remove();
  const { view } = editor;
  const scroll = scrollPosition ? [scrollToPosition(scrollPosition, view.state)] : [];
  view.dispatch({
    ...moveTo(view.state, beginning),
    effects: [setResolver.of(beginning.resolveTarget), ...scroll],
  });
  parent.append(editor.host);
  return editor;
}
