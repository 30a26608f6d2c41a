import type { EditorState, Extension } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

/** The lines around the cursor up to the next empty ones. */
function paragraphAt({ doc, selection }: EditorState): { from: number; to: number } {
  const at = doc.lineAt(selection.main.head);
  let [first, last] = [at, at];
  const hasText = (number: number) =>
    number >= 1 && number <= doc.lines && doc.line(number).text.trim() !== "";
  if (at.text.trim() === "") return at;
  while (hasText(first.number - 1)) first = doc.line(first.number - 1);
  while (hasText(last.number + 1)) last = doc.line(last.number + 1);
  return { from: first.from, to: last.to };
}

const FAINT = Decoration.line({ class: "live-faint" });

/** The look of focus mode. */
export const faint: Extension = [
  EditorView.decorations.of(({ state, viewportLineBlocks }) => {
    const { from, to } = paragraphAt(state);
    const others = viewportLineBlocks.filter((block) => block.from < from || block.from > to);
    return Decoration.set(others.map((block) => FAINT.range(block.from)));
  }),
  EditorView.theme({ ".live-faint": { opacity: "0.35" } }),
];
