import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { diff } from "@codemirror/merge";
import { EditorState, Transaction } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, keymap, placeholder } from "@codemirror/view";
import { type RefObject, useRef } from "react";
import { Toolbar } from "react-aria-components";
import { IconButton } from "../../kit/button.tsx";
import { Bold, Code, Heading2, type Icon, Italic, Link, List, ListChecks, Quote } from "../../kit/icons.tsx";
import { keyName } from "../../kit/key-name.ts";
import { codeLook } from "./code-theme.ts";
import styles from "./editor.module.css";
import { beginLines, insertLink, surround } from "./format.ts";
import { refusePictures } from "./pictures.ts";
import { Shadow } from "./shadow.tsx";
import type { Beginning, Handle } from "./stand-in.tsx";
import type { Kind } from "./writing.ts";

type Format = { name: string; icon: Icon; key?: string; run: Parameters<typeof runIn>[1] };

const runIn = (view: EditorView, command: typeof insertLink) => command(view);

const FORMATS: Format[] = [
  { name: "Heading", icon: Heading2, run: beginLines("## ") },
  { name: "Bold", icon: Bold, key: "Mod-b", run: surround("**") },
  { name: "Italic", icon: Italic, key: "Mod-i", run: surround("*") },
  { name: "Code", icon: Code, key: "Mod-e", run: surround("`") },
  { name: "Link", icon: Link, key: "Mod-k", run: insertLink },
  { name: "List", icon: List, run: beginLines("- ") },
  { name: "Tasks", icon: ListChecks, run: beginLines("- [ ] ") },
  { name: "Quotation", icon: Quote, run: beginLines("> ") },
];

type Props = {
  kind: Kind;
  /** What it begins with; afterwards the editor has the text. */
  beginning: RefObject<Beginning>;
  onChange: (text: string) => void;
  onSave: () => void;
  onLeave: () => void;
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
    const changes = diff(view.state.doc.toString(), text).map(({ fromA, toA, fromB, toB }) => ({
      ...{ from: fromA, to: toA },
      insert: text.slice(fromB, toB),
    }));
    view.dispatch({
      changes,
      annotations: [Transaction.addToHistory.of(false), Transaction.remote.of(true)],
    });
  },
});

/** A key's command; the key does nothing else. */
const handled = (act: () => void) => () => {
  act();
  return true;
};

/** Each line in the direction of its own writing. */
const DIRECTIONS = [
  EditorView.perLineTextDirection.of(true),
  EditorView.decorations.of(({ viewportLineBlocks }) =>
    Decoration.set(
      viewportLineBlocks.map(({ from }) => Decoration.line({ attributes: { dir: "auto" } }).range(from)),
    ),
  ),
];

const extensionsOf = (kind: Kind, latest: { current: Props }) => [
  history(),
  drawSelection(),
  keymap.of([
    { key: "Mod-s", run: handled(() => latest.current.onSave()) },
    { key: "Escape", run: handled(() => latest.current.onLeave()) },
    ...(kind === "markdown" ? FORMATS.flatMap(({ key, run }) => (key ? [{ key, run }] : [])) : []),
    ...defaultKeymap,
    ...historyKeymap,
    ...(kind === "json" ? [indentWithTab] : []),
  ]),
  codeLook(kind),
  DIRECTIONS,
  EditorView.domEventHandlers({
    paste: (event) => refusePictures(event, event.clipboardData),
    drop: (event) => refusePictures(event, event.dataTransfer),
  }),
  placeholder(kind === "markdown" ? "Write in Markdown…" : ""),
  EditorView.contentAttributes.of({ "aria-label": "Text", spellcheck: kind === "json" ? "false" : "true" }),
  EditorView.updateListener.of(({ docChanged, state, transactions }) => {
    const isMine = transactions.some((one) => one.docChanged && !one.annotation(Transaction.remote));
    if (docChanged && isMine) latest.current.onChange(state.doc.toString());
  }),
];

const Formats = ({ act }: { act: (format: Format) => void }) => (
  <Toolbar aria-label="Format" className={styles.toolbar ?? ""}>
    {FORMATS.map((format) => (
      <IconButton
        key={format.name}
        label={format.name}
        {...(format.key && { shortcut: keyName(format.key) })}
        onPress={() => act(format)}
      >
        <format.icon aria-hidden="true" />
      </IconButton>
    ))}
  </Toolbar>
);

/** A text that is being written. ⌘S saves it, Escape leaves it. */
export default function Editor(props: Props) {
  const latest = useRef(props);
  latest.current = props;
  const view = useRef<EditorView>(null);
  const mount = (root: ShadowRoot) => {
    const { kind, beginning } = latest.current;
    const { text, cursor } = beginning.current;
    const state = EditorState.create({
      doc: text,
      selection: { anchor: cursor ?? 0 },
      extensions: extensionsOf(kind, latest),
    });
    const made = new EditorView({ state, parent: root, root });
    view.current = made;
    if (cursor !== undefined) made.focus();
    latest.current.onReady(handleOf(made));
    return () => made.destroy();
  };
  const act = ({ run }: Format) => {
    if (!view.current) return;
    runIn(view.current, run);
    view.current.focus();
  };
  return (
    <div className={styles.editor}>
      {props.kind === "markdown" && <Formats act={act} />}
      <Shadow className={styles.text} mount={mount} />
    </div>
  );
}
