import type { Document } from "../../api/documents.ts";
import type { Action } from "../../kit/actions.ts";
import { Copy } from "../../kit/icons.tsx";
import { titleText } from "../../kit/title-text.ts";
import { toast } from "../../state/toasts.ts";
import { DOCUMENT_ACTIONS } from "../things/document-action-info.ts";
import { richTextHtml, visibleText } from "./rich-text.ts";
import { formatAll } from "./unformatted.ts";
import { type Writing, writingOf } from "./writing.ts";

/** Shows a message once it is copied, or that the browser denied it. */
async function copy(text: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
    toast({ text });
  } catch {
    toast({ kind: "refused", text: "Couldn’t copy: this browser blocks access to the clipboard" });
  }
}

const copyText = (message: string, text: string) => copy(message, () => navigator.clipboard.writeText(text));

const copyLink = (id: string) => copyText("Link copied", `${location.origin}/documents/${id}`);

const copyRichText = ({ title }: Document, rendered: HTMLElement) =>
  copy("Rich text copied", async () => {
    const heading = titleText(title);
    formatAll();
    const parts = {
      "text/html": richTextHtml(heading, rendered),
      "text/plain": `${heading}\n\n${visibleText(rendered)}`,
    };
    const blobs = Object.entries(parts).map(([type, part]) => [type, new Blob([part], { type })]);
    await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))]);
  });

const ACTION_NAMES = { markdown: "Copy as Markdown", text: "Copy text", json: "Copy as JSON" };
const MESSAGES = { markdown: "Markdown copied", text: "Text copied", json: "JSON copied" };

const copySourceText = ({ kind, text }: Writing) => copyText(MESSAGES[kind], text);

/** Copies a text with its title above it, except for JSON. */
export function copyWithTitle(title: string, { kind, text }: Writing): Promise<void> {
  const heading = title.trim();
  const head = { markdown: `# ${heading}\n\n`, text: `${heading}\n\n`, json: "" }[kind];
  return copySourceText({ kind, text: heading === "" ? text : head + text });
}

/** The copy actions of a document's menu. `rendered`: the element with the rendered text. */
export function copyActions(document: Document, rendered: { current: HTMLElement | null }): Action[] {
  const { kind, text } = writingOf(document.content);
  const asRichText = () => rendered.current && void copyRichText(document, rendered.current);
  const link = { ...DOCUMENT_ACTIONS.copyLink, run: () => void copyLink(document.id) };
  if (text === "") return [link];
  return [
    link,
    ...(kind === "json" ? [] : [{ name: "Copy as rich text", icon: Copy, run: () => void asRichText() }]),
    { name: ACTION_NAMES[kind], icon: Copy, run: () => void copySourceText({ kind, text }) },
  ];
}
