import type { Text } from "./merging.ts";

/** A text as an editor holds it: a string, or CodeMirror's own. */
export type Held = { readonly length: number; toString: () => string };

/** What is being written. A string of a long text takes long to make: not at each key, but when it is kept or sent. */
export class Edited implements Text {
  title: string;
  /** Whether it is not saved. */
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

  /** In characters, without making a string. */
  get length(): number {
    return this.held.length;
  }
}
