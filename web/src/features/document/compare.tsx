import { history, historyKeymap } from "@codemirror/commands";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import { codeTheme } from "./code-theme.ts";
import styles from "./editor.module.css";
import { ShadowHost } from "./shadow.tsx";
import type { Kind } from "./writing.ts";

const UNCHANGED = { margin: 2, minSize: 6 };
const READ_ONLY = [EditorState.readOnly.of(true), EditorView.editable.of(false)];
/** Too narrow for two columns. */
const NARROW = "(max-width: 48rem)";

const tint = (colour: string) => `color-mix(in srgb, var(${colour}) 25%, transparent)`;

const theme = EditorView.theme({
  ".cm-mergeView &": { overflowWrap: "anywhere" },
  ".cm-gutters": { background: "transparent", border: "0" },
  ".cm-changedLine, &.cm-merge-b .cm-changedLine, .cm-inlineChangedLine": {
    background: "var(--accent-ground)",
  },
  ".cm-deletedChunk, &.cm-merge-a .cm-changedLine": { background: "var(--danger-ground)" },
  ".cm-deletedChunk": { paddingLeft: "0" },
  ".cm-insertedLine": { background: "none", textDecoration: "none" },
  "&.cm-merge-b .cm-changedText, .cm-changedText": { background: tint("--accent") },
  ".cm-deletedChunk .cm-deletedText, &.cm-merge-a .cm-changedText": { background: tint("--danger") },
  ".cm-changeGutter": { width: "3px", paddingLeft: "2px" },
  "&.cm-merge-b .cm-changedLineGutter, .cm-changedLineGutter": { background: "var(--accent)" },
  "&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter": { background: "var(--danger)" },
  ".cm-collapsedLines": {
    // The library's symbol is an empty box if no system font has it.
    "&:before, &:after": { content: '"…"' },
    color: "var(--quiet)",
    background: "var(--sunken)",
    fontFamily: "var(--sans)",
    fontSize: "var(--size-s)",
  },
});

const look = (kind: Kind): Extension => [theme, codeTheme(kind)];

/** The accessible name of a text. A read-only text can be focused, so that it can be scrolled by keyboard. */
const labelled = (name: string, readOnly: boolean): Extension =>
  EditorView.contentAttributes.of({
    "aria-label": name,
    ...(readOnly && { tabindex: "0", "aria-readonly": "true" }),
  });

type DiffProps = { kind: Kind; before: string; after: string };

/** The differences in one column. */
export const UnifiedDiff = ({ kind, before, after }: DiffProps) => {
  const mount = (root: ShadowRoot) => {
    const extensions = [
      look(kind),
      READ_ONLY,
      labelled("What changed", true),
      unifiedMergeView({
        original: before,
        mergeControls: false,
        collapseUnchanged: UNCHANGED,
        syntaxHighlightDeletions: false,
      }),
    ];
    const view = new EditorView({ doc: after, extensions, parent: root, root });
    return () => view.destroy();
  };
  return <ShadowHost key={`${before}\0${after}`} className={styles.compare} mount={mount} />;
};

/** Two texts side by side, or in one column on narrow screens. */
export const SideBySideDiff = (props: DiffProps) => {
  const { kind, before, after } = props;
  if (matchMedia(NARROW).matches) return <UnifiedDiff {...props} />;
  const mount = (root: ShadowRoot) => {
    const side = (doc: string, name: string) => ({
      doc,
      extensions: [look(kind), READ_ONLY, labelled(name, true)],
    });
    const view = new MergeView({
      a: side(before, "Text before"),
      b: side(after, "Text after"),
      parent: root,
      root,
      collapseUnchanged: UNCHANGED,
    });
    return () => view.destroy();
  };
  return <ShadowHost key={`${before}\0${after}`} className={styles.compare} mount={mount} />;
};

type MergeProps = {
  kind: Kind;
  mine: string;
  theirs: string;
  onChange: (merged: string) => void;
};

const editing = (onChange: MergeProps["onChange"]): Extension => [
  history(),
  drawSelection(),
  keymap.of(historyKeymap),
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) onChange(state.doc.toString());
  }),
];

function sideBySide(root: ShadowRoot, { kind, mine, theirs, onChange }: MergeProps) {
  return new MergeView({
    a: { doc: theirs, extensions: [look(kind), READ_ONLY, labelled("Theirs", true)] },
    b: { doc: mine, extensions: [look(kind), editing(onChange), labelled("Mine", false)] },
    parent: root,
    root,
    revertControls: "a-to-b",
    renderRevertControl: () => {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: "→", title: "Use their passage" });
      button.setAttribute("aria-label", "Use their passage");
      return button;
    },
  });
}

const controls = EditorView.theme({
  ".cm-deletedChunk .cm-chunkButtons": {
    position: "static",
    display: "flex",
    flexWrap: "wrap",
    justifyContent: "end",
    gap: "var(--space-2)",
    padding: "var(--space-2)",
  },
  ".cm-chunkButtons button": {
    margin: "0",
    padding: "var(--space-1) var(--space-3)",
    border: "1px solid var(--control)",
    borderRadius: "var(--radius)",
    background: "var(--surface)",
    color: "var(--text)",
    font: "550 var(--size-s) / 1.5 var(--sans)",
  },
});

function inOneColumn(root: ShadowRoot, { kind, mine, theirs, onChange }: MergeProps) {
  const extensions = [
    look(kind),
    editing(onChange),
    labelled("Mine, with differences from theirs", false),
    controls,
    unifiedMergeView({
      original: theirs,
      syntaxHighlightDeletions: false,
      mergeControls: (type, action) => {
        const textContent = type === "accept" ? "Keep my passage" : "Use their passage";
        return Object.assign(document.createElement("button"), {
          type: "button",
          textContent,
          onclick: action,
        });
      },
    }),
  ];
  return new EditorView({ doc: mine, extensions, parent: root, root });
}

/** Both versions side by side: passages can be copied from theirs to mine, and mine can be edited. */
export const MergeEditor = (props: MergeProps) => {
  const mount = (root: ShadowRoot) => {
    const make = matchMedia(NARROW).matches ? inOneColumn : sideBySide;
    const view = make(root, props);
    return () => view.destroy();
  };
  return <ShadowHost className={styles.compare} mount={mount} />;
};
