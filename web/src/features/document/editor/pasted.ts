import type { EditorView } from "@codemirror/view";

const ADDRESS = /^(?:https?:\/\/|mailto:|www\.)\S+$/i;

export const isAddress = (text: string): boolean => ADDRESS.test(text);

/** `editor`: what VS Code says about its text. */
export type Pasted = { html: string; plain: string; editor?: string };

export const insertPlain = (view: EditorView, text: string): void =>
  view.dispatch(view.state.replaceSelection(text), { userEvent: "input.paste", scrollIntoView: true });
