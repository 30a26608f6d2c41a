import type { TitledText } from "./merging.ts";

/** A string, or CodeMirror's text. */
export type EditorText = { readonly length: number; toString: () => string };

/** The edited title and text. A long text is converted to a string only when it is kept or sent, not at each keystroke. */
export class EditBuffer implements TitledText {
  title: string;
  /** Whether there are unsaved changes. */
  isDirty: boolean;
  private held: EditorText;

  constructor({ title, text }: TitledText, isDirty: boolean) {
    this.title = title;
    this.held = text;
    this.isDirty = isDirty;
  }

  get text(): string {
    const text = this.held.toString();
    this.held = text;
    return text;
  }

  set text(held: EditorText) {
    this.held = held;
  }

  /** In characters, without converting the text to a string. */
  get length(): number {
    return this.held.length;
  }
}
