import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap, placeholder } from "@codemirror/view";
import { Bold, Code, Heading2, Italic, Link, List, ListChecks, type LucideIcon, Quote } from "lucide-react";
import { useRef } from "react";
import { Toolbar } from "react-aria-components";
import { IconButton } from "../../kit/button.tsx";
import { keyName } from "../../kit/key-name.ts";
import { codeLook } from "./code-theme.ts";
import styles from "./editor.module.css";
import { beginLines, insertLink, surround } from "./format.ts";
import { Shadow } from "./shadow.tsx";
import type { Kind } from "../../document/writing.ts";

type Format = { name: string; icon: LucideIcon; key?: string; run: Parameters<typeof runIn>[1] };

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
  text: string;
  onChange: (text: string) => void;
  onSave: () => void;
  onLeave: () => void;
  autoFocus?: boolean;
};

/** A key's command; the key does nothing else. */
const handled = (act: () => void) => () => {
  act();
  return true;
};

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
  placeholder(kind === "markdown" ? "Write in Markdown…" : ""),
  EditorView.contentAttributes.of({ "aria-label": "Text", spellcheck: kind === "json" ? "false" : "true" }),
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) latest.current.onChange(state.doc.toString());
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
    const { kind, text, autoFocus } = latest.current;
    const state = EditorState.create({ doc: text, extensions: extensionsOf(kind, latest) });
    const made = new EditorView({ state, parent: root, root });
    view.current = made;
    if (autoFocus) made.focus();
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
