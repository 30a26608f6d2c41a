import { EditorState, StateEffect, Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { editsBetween } from "../../../../src/contract/text/merge.ts";
import { useMedia } from "../../kit/media.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { useToday } from "../../kit/time.tsx";
import type { Held } from "./edited.ts";
import type { Commit, Linking } from "./editor/commit-task.ts";
import { Counter } from "./editor/counter.tsx";
import { extensionsOf } from "./editor/extensions.ts";
import { FindBar } from "./editor/find-bar.tsx";
import { isFocusMode, toggleFocusMode } from "./editor/focus-mode.ts";
import { PhoneBar } from "./editor/phone-bar.tsx";
import { EditorToolbar } from "./editor/toolbar.tsx";
import { type Watched, watch } from "./editor/watched.ts";
import styles from "./editor.module.css";
import { Shadow } from "./shadow.tsx";
import type { Beginning, Handle } from "./stand-in.tsx";
import type { Kind } from "./writing.ts";

// Not needed by the first key: fetched once the text is there.
const loadSlashMenu = () => import("./editor/slash.ts");

type Props = {
  kind: Kind;
  /** What it begins with; afterwards the editor has the text. */
  beginning: RefObject<Beginning>;
  onChange: (text: Held) => void;
  onSave: () => void;
  onLeave: () => void;
  /** Makes a commitment of a task in Markdown, on the person's day; see `Commit`. */
  onCommit: (words: string, today: string, linking: Linking) => Promise<void>;
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
function useRest(made: Made | undefined, kind: Kind, today: () => string, commit: Commit): void {
  useEffect(() => {
    if (!made || kind !== "markdown") return;
    loadSlashMenu().then(
      ({ slashMenu }) => {
        if (!made.view.dom.isConnected) return;
        made.view.dispatch({ effects: StateEffect.appendConfig.of(slashMenu(today, commit)) });
      },
      () => undefined,
    );
  }, [made, kind, today, commit]);
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
  useRest(made, props.kind, now, commit);
  const mount = (root: ShadowRoot) => {
    const { kind, beginning } = latest.current;
    const { text, cursor } = beginning.current;
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
        {made && tools.asked > 0 && <FindBar {...made} asked={tools.asked} onClose={tools.closeFind} />}
      </div>
      <Shadow className={styles.text} mount={mount} />
      {made && props.kind !== "json" && <Counter {...made} />}
      {made && isTouched && isMarkdown && <PhoneBar {...made} />}
    </div>
  );
}
