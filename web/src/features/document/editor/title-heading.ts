import { syntaxTree } from "@codemirror/language";
import {
  type EditorState,
  type Extension,
  Prec,
  type StateCommand,
  StateEffect,
  StateField,
  type Transaction,
} from "@codemirror/state";
import { Decoration, EditorView, keymap } from "@codemirror/view";
import { headingWords, isTitleHeading } from "../prose-headings.ts";

// A first heading that repeats the title is hidden, as in the rendered text, until the cursor is moved to it.

/** The heading and the blank lines below it. */
type TitleHeading = { from: number; to: number; isHidden: boolean };

type Selection = { anchor: number; head: number };

/** The title was changed. */
export const titleChanged = StateEffect.define<null>();

const FIRST_HEADING = /^(?:ATX|Setext)Heading1$/;

function findTitleHeading(state: EditorState, title: string): TitleHeading | undefined {
  const { firstChild } = syntaxTree(state).topNode;
  const heading = firstChild?.name === "FrontMatter" ? firstChild.nextSibling : firstChild;
  if (!heading || !FIRST_HEADING.test(heading.name)) return undefined;
  const mark = heading.getChildren("HeaderMark").at(-1);
  const isUnderlined = heading.name.startsWith("Setext");
  const source = state.sliceDoc(heading.from, isUnderlined ? mark?.from : heading.to);
  const words = isUnderlined ? source : source.replace(/^#[ \t]*/, "").replace(/(?:^|[ \t])#+[ \t]*$/, "");
  if (!isTitleHeading(headingWords(words), title)) return undefined;
  const { doc } = state;
  let last = doc.lineAt(heading.to);
  while (last.number < doc.lines && doc.line(last.number + 1).text.trim() === "")
    last = doc.line(last.number + 1);
  // A text without anything else would seem to be empty.
  return { from: doc.lineAt(heading.from).from, to: last.to, isHidden: last.number < doc.lines };
}

const isInside = (at: number, { from, to }: TitleHeading) => from <= at && at <= to;

function updateHeading(before: TitleHeading, transaction: Transaction): TitleHeading | undefined {
  const { changes, effects, selection, newSelection } = transaction;
  if (changes.touchesRange(before.from, before.to) || effects.some((one) => one.is(titleChanged)))
    return undefined;
  const moved = {
    ...before,
    from: changes.mapPos(before.from, 1),
    to: changes.mapPos(before.to, -1),
  };
  return selection && isInside(newSelection.main.head, moved) ? { ...moved, isHidden: false } : moved;
}

/** The heading that repeats the title, until it or the title is changed. */
export const titleHeading = StateField.define<TitleHeading | undefined>({
  create: () => undefined,
  update: (before, transaction) => before && updateHeading(before, transaction),
  provide: (field) =>
    EditorView.decorations.from(field, (heading) =>
      heading?.isHidden
        ? Decoration.set(Decoration.replace({ block: true }).range(heading.from, heading.to))
        : Decoration.none,
    ),
});

/** Where the text that is shown begins. */
export function shownStart(state: EditorState): number {
  const heading = state.field(titleHeading, false);
  return heading?.isHidden ? heading.to + 1 : 0;
}

/** Backspace below the hidden heading shows it, instead of changing a text that is not seen. */
export const showTitleHeading: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  const start = shownStart(state);
  if (start === 0 || !main.empty || main.head !== start) return false;
  dispatch(state.update({ selection: { anchor: start - 1 }, scrollIntoView: true, userEvent: "select" }));
  return true;
};

const KEYS = ["Backspace", "Mod-Backspace", "Alt-Backspace"];

export const hideTitleHeading = (title: string): Extension => [
  titleHeading.init((state) => findTitleHeading(state, title)),
  Prec.high(keymap.of(KEYS.map((key) => ({ key, run: showTitleHeading, shift: showTitleHeading })))),
];

/** The initial selection: below the hidden heading, if its cursor would be in there. */
export function belowTitle(state: EditorState, selection: Selection): Selection {
  const heading = state.field(titleHeading, false);
  if (!heading?.isHidden || !isInside(selection.head, heading)) return selection;
  return { anchor: heading.to + 1, head: heading.to + 1 };
}
