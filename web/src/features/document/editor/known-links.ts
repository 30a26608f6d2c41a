import { StateEffect, StateField } from "@codemirror/state";
import { WidgetType } from "@codemirror/view";
import type { ResolveLink } from "../linked/linked-documents.ts";

// Which documents the links of the text lead to, as far as it is known.

export const setResolver = StateEffect.define<ResolveLink>();

export const linkResolver = StateField.define<ResolveLink>({
  create: () => () => undefined,
  update: (resolve, { effects }) => effects.find((effect) => effect.is(setResolver))?.value ?? resolve,
});

/** The title of a document, in place of its id. */
export class LinkTitle extends WidgetType {
  private readonly title: string;

  constructor(title: string) {
    super();
    this.title = title;
  }

  override eq({ title }: LinkTitle): boolean {
    return title === this.title;
  }

  override toDOM(): HTMLElement {
    return Object.assign(document.createElement("span"), { className: "live-link", textContent: this.title });
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
