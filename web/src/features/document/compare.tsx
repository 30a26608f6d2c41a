import { history, historyKeymap } from "@codemirror/commands";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import { codeLook } from "./code-theme.ts";
import styles from "./editor.module.css";
import { Shadow } from "./shadow.tsx";
import type { Kind } from "./writing.ts";

// Two texts and what differs between them.

const UNCHANGED = { margin: 2, minSize: 6 };
const READ_ONLY = [EditorState.readOnly.of(true), EditorView.editable.of(false)];
/** Below this width two columns of text cannot be read. */
const NARROW = "(max-width: 48rem)";

/** A text that cannot be changed can still be reached and scrolled by keyboard. */
const named = (name: string, readOnly: boolean): Extension =>
  EditorView.contentAttributes.of({
    "aria-label": name,
    ...(readOnly && { tabindex: "0", "aria-readonly": "true" }),
  });

type DiffProps = { kind: Kind; before: string; after: string };

/** What a change did to a text, in one column. */
export const Diff = ({ kind, before, after }: DiffProps) => {
  const mount = (root: ShadowRoot) => {
    const extensions = [
      codeLook(kind),
      READ_ONLY,
      named("What changed", true),
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
  return <Shadow key={`${before}\0${after}`} className={styles.compare} mount={mount} />;
};

/** Two texts beside each other; in one column where there is no room for two. */
export const Beside = (props: DiffProps) => {
  const { kind, before, after } = props;
  if (matchMedia(NARROW).matches) return <Diff {...props} />;
  const mount = (root: ShadowRoot) => {
    const side = (doc: string, name: string) => ({
      doc,
      extensions: [codeLook(kind), READ_ONLY, named(name, true)],
    });
    const view = new MergeView({
      a: side(before, "The text before"),
      b: side(after, "The text after"),
      parent: root,
      root,
      collapseUnchanged: UNCHANGED,
    });
    return () => view.destroy();
  };
  return <Shadow key={`${before}\0${after}`} className={styles.compare} mount={mount} />;
};

type MergeProps = {
  kind: Kind;
  mine: string;
  theirs: string;
  /** Gets the text that is being merged at every change. */
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
    a: { doc: theirs, extensions: [codeLook(kind), READ_ONLY, named("Theirs", true)] },
    b: { doc: mine, extensions: [codeLook(kind), editing(onChange), named("Mine", false)] },
    parent: root,
    root,
    revertControls: "a-to-b",
    renderRevertControl: () => {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: "→", title: "Take this passage of theirs" });
      button.setAttribute("aria-label", "Take this passage of theirs");
      return button;
    },
  });
}

function inOneColumn(root: ShadowRoot, { kind, mine, theirs, onChange }: MergeProps) {
  const extensions = [
    codeLook(kind),
    editing(onChange),
    named("Mine, with what theirs has instead", false),
    unifiedMergeView({ original: theirs, syntaxHighlightDeletions: false }),
  ];
  return new EditorView({ doc: mine, extensions, parent: root, root });
}

/** Theirs and mine beside each other: passages are taken over from theirs, and mine can be edited. */
export const Merge = (props: MergeProps) => {
  const mount = (root: ShadowRoot) => {
    const make = matchMedia(NARROW).matches ? inOneColumn : sideBySide;
    const view = make(root, props);
    return () => view.destroy();
  };
  return <Shadow className={styles.compare} mount={mount} />;
};
