import { EditorState, StateEffect, Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { lazy, type RefObject, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { editsBetween } from "../../../../src/contract/text/merge.ts";
import { useMedia } from "../../kit/media.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { useToday } from "../../kit/time.tsx";
import type { Held } from "./edited.ts";
import type { Commit, Linking } from "./editor/commit-task.ts";
import { Counter } from "./editor/counter.tsx";
import { extensionsOf } from "./editor/extensions.ts";
import { isFocusMode, toggleFocusMode } from "./editor/focus-mode.ts";
import { PhoneBar } from "./editor/phone-bar.tsx";
import { seenIn, showSeen } from "./editor/seen.ts";
import { EditorToolbar } from "./editor/toolbar.tsx";
import { type Watched, watch } from "./editor/watched.ts";
import styles from "./editor.module.css";
import { Shadow } from "./shadow.tsx";
import type { Beginning, Handle } from "./stand-in.tsx";
import type { Kind } from "./writing.ts";

// Not needed by the first key: fetched once the text is there.
const loadRest = () =>
  Promise.all([
    import("./editor/slash.ts"),
    import("./editor/file-pictures.ts"),
    import("./editor/table-pipe.ts"),
  ]);
const loadFindBar = () => import("./editor/find-bar.tsx");
const FindBar = lazy(loadFindBar);

type Props = {
  kind: Kind;
  /** What it begins with; afterwards the editor has the text. */
  beginning: RefObject<Beginning>;
  onChange: (text: Held) => void;
  onSave: () => void;
  onLeave: () => void;
  /** Makes a commitment of a task in Markdown, on the person's day; see `Commit`. */
  onCommit: (words: string, today: string, linking: Linking) => Promise<void>;
  /** Lets somebody choose files. */
  onAdd: () => void;
  /** Gets files that are pasted, or dropped at a place of the text. */
  onFiles: (files: File[], at?: number) => void;
  /** Gets the way into the text. */
  onReady: (handle: Handle) => void;
};

const handleOf = (view: EditorView): Handle => ({
  enter: (lines) => {
    const selection = { anchor: lines.length };
    view.dispatch({
      changes: { from: 0, insert: lines && view.state.doc.length > 0 ? `${lines}\n` : lines },
      selection,
      scrollIntoView: true,
      userEvent: "input.paste",
    });
    view.focus();
  },
  show: (text) => {
    view.dispatch({
      changes: editsBetween(view.state.doc.toString(), text),
      annotations: [Transaction.addToHistory.of(false), Transaction.remote.of(true)],
    });
  },
  seen: () => seenIn(view),
  cursor: () => view.state.selection.main.head,
  focus: () => view.focus(),
  insert: (put, at = view.state.selection.main.head) => {
    const { cursor, ...changes } = put(view.state.doc.toString(), at);
    const selection = { anchor: cursor };
    view.dispatch({ changes, selection, scrollIntoView: true, userEvent: "input.paste" });
  },
  edit: (changesOf) => {
    const changes = changesOf(view.state.doc.toString());
    // What is undone afterwards is what somebody has written.
    if (changes.length > 0) view.dispatch({ changes, annotations: Transaction.addToHistory.of(false) });
    return changes.length > 0;
  },
});

/** Whether fingers write, which have no keys but those on the screen. */
const TOUCH = "(pointer: coarse)";

/** What the signs and keys around the text do, and what is shown there. */
function useTools(view: RefObject<EditorView | null>) {
  const [asked, setAsked] = useState(0);
  const [isFocused, setFocused] = useState(isFocusMode);
  return {
    asked,
    isFocused,
    find: () => setAsked((number) => number + 1),
    closeFind: () => {
      setAsked(0);
      view.current?.focus();
    },
    toggleFocus: () => view.current && setFocused(toggleFocusMode(view.current)),
  };
}

type Made = { view: EditorView; watched: Watched };

/** Adds what was not loaded with the editor; without a network that may have to wait for another time. */
function useRest(
  made: Made | undefined,
  { kind, today, commit, add }: { kind: Kind; today: () => string; commit: Commit; add: () => void },
): void {
  useEffect(() => {
    if (!made) return;
    // Or the first words that are looked for would be written into the text.
    loadFindBar().catch(() => undefined);
    if (kind !== "markdown") return;
    loadRest().then(
      ([{ slashMenu }, { filePictures }, { tablePipe }]) => {
        if (!made.view.dom.isConnected) return;
        const rest = [slashMenu(today, commit, add), filePictures, tablePipe];
        made.view.dispatch({ effects: StateEffect.appendConfig.of(rest) });
      },
      () => undefined,
    );
  }, [made, kind, today, commit, add]);
}

/** A text that is being written. ⌘S saves it, Escape leaves it. */
export default function Editor(props: Props) {
  const today = useToday();
  const latest = useRef(props);
  latest.current = props;
  const view = useRef<EditorView>(null);
  const [made, setMade] = useState<Made>();
  const tools = useTools(view);
  const isTouched = useMedia(TOUCH);
  const isMarkdown = props.kind === "markdown";
  useShortcuts({ "mod+f": tools.find });
  const day = useRef(today);
  day.current = today;
  const now = useCallback(() => day.current, []);
  const commit: Commit = useCallback((...task) => latest.current.onCommit(task[0], day.current, task[1]), []);
  const add = useCallback(() => latest.current.onAdd(), []);
  useRest(made, { kind: props.kind, today: now, commit, add });
  const mount = (root: ShadowRoot) => {
    const { kind, beginning } = latest.current;
    const { text, cursor, seen } = beginning.current;
    const watched = watch();
    const changed = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      const isMine = transactions.some((one) => one.docChanged && !one.annotation(Transaction.remote));
      if (docChanged && isMine) latest.current.onChange(state.doc);
    });
    const keys = {
      onSave: () => latest.current.onSave(),
      onLeave: () => latest.current.onLeave(),
      onFind: tools.find,
      onFocusMode: tools.toggleFocus,
      onCommit: commit,
      onFiles: (files: File[], at?: number) => latest.current.onFiles(files, at),
    };
    const state = EditorState.create({
      doc: text,
      selection: { anchor: cursor ?? 0 },
      extensions: [extensionsOf(kind, keys), watched.extension, changed],
    });
    const made = new EditorView({ state, parent: root, root });
    view.current = made;
    setMade({ view: made, watched });
    if (cursor !== undefined) made.focus();
    if (seen) showSeen(made, seen);
    latest.current.onReady(handleOf(made));
    return () => made.destroy();
  };
  return (
    <div className={styles.editor}>
      <div className={styles.head}>
        <EditorToolbar
          isMarkdown={isMarkdown}
          isFocusMode={tools.isFocused}
          onFormat={({ run }) => {
            if (view.current) run(view.current);
            view.current?.focus();
          }}
          onFind={tools.find}
          onFocusMode={tools.toggleFocus}
        />
        {made && tools.asked > 0 && (
          <Suspense>
            <FindBar {...made} asked={tools.asked} onClose={tools.closeFind} />
          </Suspense>
        )}
      </div>
      <Shadow className={styles.text} mount={mount} />
      {made && props.kind !== "json" && <Counter {...made} />}
      {made && isTouched && isMarkdown && <PhoneBar {...made} />}
    </div>
  );
}
