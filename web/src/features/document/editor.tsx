import { StateEffect, Transaction } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import {
  type RefObject,
  Suspense,
  startTransition,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { editsBetween } from "../../../../src/shared/text/merge.ts";
import { lazyPart } from "../../kit/lazy-part.ts";
import { useMedia } from "../../kit/media.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { useToday } from "../../kit/time.tsx";
import type { EditorText } from "./document-editor.ts";
import type { MakeCommitment, TaskLinker } from "./editor/commit-task.ts";
import {
  type CreatedEditor,
  type EditorHandlers,
  loadCommitTask,
  openEditor,
  prepareEditor,
} from "./editor/create-editor.ts";
import type { ObservedEditor } from "./editor/editor-observer.ts";
import type { ExtrasOptions } from "./editor/extras.ts";
import { isFocusMode, toggleFocusMode } from "./editor/focus-mode.ts";
import type { EditorLink } from "./editor/follow-links.ts";
import { loadFormats } from "./editor/formats.ts";
import { setResolver } from "./editor/known-links.ts";
import type { CreateLinked } from "./editor/link-completion.ts";
import { loadPasting } from "./editor/paste.ts";
import { editorScrollPosition } from "./editor/scroll-position.ts";
import { shownStart, titleChanged } from "./editor/title-heading.ts";
import { EditorToolbar } from "./editor/toolbar.tsx";
import styles from "./editor.module.css";
import type { ResolveLink } from "./linked/linked-documents.ts";
import type { InitialPosition, TextHandle } from "./plain-editor.tsx";
import type { Kind } from "./writing.ts";

// Not needed for the first keystroke: loaded once the text is shown.
const loadMarkdownExtras = () => Promise.all([import("./editor/extras.ts"), loadCommitTask()]);
const loadCommands = () => Promise.all([loadFormats(), loadPasting()]);
const loadFindBar = () => import("./editor/find-bar.tsx");
const FindBar = lazyPart(loadFindBar);
const loadPhoneBar = () => import("./editor/phone-bar.tsx");
const PhoneBar = lazyPart(loadPhoneBar);
const loadCounter = () => import("./editor/counter.tsx");
const Counter = lazyPart(loadCounter);

export { showPrepared } from "./editor/create-editor.ts";

/** Called while a text is read: loads the parts that follow the editor, and prepares the editor itself. */
export function prepare(...editor: Parameters<typeof prepareEditor>): () => void {
  const parts = [loadMarkdownExtras(), loadCommands(), loadFindBar(), loadPhoneBar(), loadCounter()];
  Promise.all(parts).catch(() => undefined);
  return prepareEditor(...editor);
}

type Props = {
  kind: Kind;
  title: string;
  text: () => string;
  beginning: RefObject<InitialPosition>;
  onChange: (text: EditorText) => void;
  onSave: () => void;
  onLeave: () => void;
  /** Turns a task in Markdown into a commitment. `today`: in the user's time zone. */
  onCommit: (words: string, today: string, linking: TaskLinker) => Promise<void>;
  onAdd: () => void;
  /** Follows a link of the text. */
  onFollow: (link: EditorLink) => void;
  /** Where the links lead. */
  resolveTarget: ResolveLink;
  onCreateLinked: CreateLinked;
  /** Called with pasted files, or with files dropped at an offset of the text. */
  onFiles: (files: File[], at?: number) => void;
  /** Called with access to the text once the editor is mounted. */
  onReady: (handle: TextHandle) => void;
};

const createHandle = (view: EditorView): TextHandle => ({
  enter: (lines) => {
    const from = shownStart(view.state);
    const selection = { anchor: from + lines.length };
    view.dispatch({
      changes: { from, insert: lines && view.state.doc.length > 0 ? `${lines}\n` : lines },
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
  scrollPosition: () => editorScrollPosition(view),
  cursor: () => view.state.selection.main.head,
  focus: () => view.focus(),
  insert: (put, at = view.state.selection.main.head) => {
    const { cursor, ...changes } = put(view.state.doc.toString(), at);
    const selection = { anchor: cursor };
    view.dispatch({ changes, selection, scrollIntoView: true, userEvent: "input.paste" });
  },
  edit: (changesOf) => {
    const changes = changesOf(view.state.doc.toString());
    // Not in the undo history: the user did not type it.
    if (changes.length > 0) view.dispatch({ changes, annotations: Transaction.addToHistory.of(false) });
    return changes.length > 0;
  },
});

/** Devices with an on-screen keyboard, above which the formats are. */
const TOUCH = "(pointer: coarse)";

/** The find bar and focus mode. `findRequests` counts requests for the find bar; 0 while it is closed. */
function useTools(view: RefObject<EditorView | null>) {
  const [findRequests, setFindRequests] = useState(0);
  const [isFocused, setFocused] = useState(isFocusMode);
  const find = () => setFindRequests((count) => count + 1);
  useShortcuts({ "mod+f": find });
  return {
    findRequests,
    isFocused,
    find,
    closeFind: () => {
      setFindRequests(0);
      view.current?.focus();
    },
    toggleFocus: () => view.current && setFocused(toggleFocusMode(view.current)),
  };
}

/** Adds the parts that are not loaded with the editor. If they cannot be loaded, for example offline, it works without. */
function useDeferredParts(
  mounted: ObservedEditor | undefined,
  { kind, today, commit, add, createLinked, follow }: ExtrasOptions & { kind: Kind },
): void {
  useEffect(() => {
    if (!mounted) return;
    // Preloaded, so that the first words of a search are not typed into the text.
    loadFindBar().catch(() => undefined);
    if (kind !== "markdown") return;
    loadCommands().catch(() => undefined);
    loadMarkdownExtras().then(
      ([{ markdownExtras, openForTyped }]) => {
        if (!mounted.view.dom.isConnected) return;
        const extras = markdownExtras({ today, commit, add, createLinked, follow });
        mounted.view.dispatch({ effects: StateEffect.appendConfig.of(extras) });
        openForTyped(mounted.view);
      },
      () => undefined,
    );
  }, [mounted, kind, today, commit, add, createLinked, follow]);
}

/** Tells the editor where its links lead, once that is known, and that the title was changed. */
function useNews(mounted: ObservedEditor | undefined, { resolveTarget, title }: Props): void {
  useEffect(() => {
    mounted?.view.dispatch({ effects: setResolver.of(resolveTarget) });
  }, [mounted, resolveTarget]);
  const initialTitle = useRef(title);
  useEffect(() => {
    if (mounted && title !== initialTitle.current) mounted.view.dispatch({ effects: titleChanged.of(null) });
  }, [mounted, title]);
}

/** The text editor. ⌘S saves, Escape closes it. */
export default function Editor(props: Props) {
  const today = useToday();
  const latest = useRef({ ...props, today });
  latest.current = { ...props, today };
  const view = useRef<EditorView>(null);
  const [mounted, setMounted] = useState<ObservedEditor>();
  const tools = useTools(view);
  const isMarkdown = props.kind === "markdown";
  const isTouch = useMedia(TOUCH);
  const currentDay = useCallback(() => latest.current.today, []);
  const commit: MakeCommitment = useCallback(
    (words, linking) => latest.current.onCommit(words, latest.current.today, linking),
    [],
  );
  const add = useCallback(() => latest.current.onAdd(), []);
  const createLinked: CreateLinked = useCallback(
    (target, title) => latest.current.onCreateLinked(target, title),
    [],
  );
  const follow = useCallback((link: EditorLink) => latest.current.onFollow(link), []);
  useDeferredParts(mounted, { kind: props.kind, today: currentDay, commit, add, createLinked, follow });
  useNews(mounted, props);
  const { onChange, onSave, onLeave, onFiles } = props;
  const handlers: EditorHandlers = {
    ...{ onChange, onSave, onLeave, onFiles },
    ...{ onFind: tools.find, onFocusMode: tools.toggleFocus, onCommit: commit },
  };
  const owner = useRef<CreatedEditor["owner"]>(null);
  if (owner.current) owner.current.handlers = handlers;
  const place = useRef<HTMLDivElement>(null);
  // A layout effect, so that no key is lost while nothing has the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, on mount
  useLayoutEffect(() => {
    if (!place.current) return undefined;
    const { kind, title, text, resolveTarget, beginning, onReady } = props;
    const start = { ...beginning.current, resolveTarget };
    const editor = openEditor({ kind, title, text: text() }, start, place.current);
    editor.owner.handlers = handlers;
    owner.current = editor.owner;
    view.current = editor.view;
    // What surrounds the text does not hold it up.
    startTransition(() => setMounted(editor));
    onReady(createHandle(editor.view));
    return () => editor.view.destroy();
  }, []);
  return (
    <div className={styles.editor}>
      <div className={styles.head}>
        {/* Its buttons come after the text. */}
        {mounted ? (
          <EditorToolbar
            hasFormats={isMarkdown && !isTouch}
            isFocusMode={tools.isFocused}
            onFormat={({ run }) => {
              if (view.current) run(view.current);
              view.current?.focus();
            }}
            onFind={tools.find}
            onFocusMode={tools.toggleFocus}
          />
        ) : (
          <div className={styles.toolbar} />
        )}
        {mounted && tools.findRequests > 0 && (
          <Suspense>
            <FindBar {...mounted} findRequests={tools.findRequests} onClose={tools.closeFind} />
          </Suspense>
        )}
      </div>
      <div ref={place} className={styles.text} />
      <Suspense fallback={<p className={styles.counter} />}>
        {mounted && props.kind !== "json" && <Counter {...mounted} />}
      </Suspense>
      <Suspense>{mounted && isMarkdown && isTouch && <PhoneBar {...mounted} />}</Suspense>
    </div>
  );
}
