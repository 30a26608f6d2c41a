import type { Text } from "./merging.ts";

/** A string, or CodeMirror's text. */
export type Held = { readonly length: number; toString: () => string };

/** The edited title and text. A long text is converted to a string only when it is kept or sent, not at each keystroke. */
export class Edited implements Text {
  title: string;
  /** Whether there are unsaved changes. */
  isDirty: boolean;
  private held: Held;

  constructor({ title, text }: Text, isDirty: boolean) {
    this.title = title;
    this.held = text;
    this.isDirty = isDirty;
  }

  get text(): string {
    const text = this.held.toString();
    this.held = text;
    return text;
  }

  set text(held: Held) {
    this.held = held;
  }

  /** In characters, without converting the text to a string. */
  get length(): number {
    return this.held.length;
  }
}
