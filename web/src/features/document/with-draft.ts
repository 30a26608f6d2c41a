import type { Document } from "../../api/documents.ts";
import type { Draft } from "../../state/document-drafts.ts";
import { mergeWith, type Text } from "./merging.ts";
import { contentWith, sameWriting, writingOf } from "./writing.ts";

// What somebody has written in this browser and the service does not have yet, in its document.

/** What a draft makes of a document; undefined where somebody has to decide on it first. */
function textWith(document: Document, { base, title, text, sent = [], refused }: Draft): Text | undefined {
  if (refused || !base) return undefined;
  const mine = { title, text };
  return sameWriting(document, base) ? mine : mergeWith(document, base, { mine, sent }).text;
}

/** The document with a text in its place. JSON that is not complete is not shown. */
export function withText(document: Document, { title, text }: Text): Document {
  const { kind } = writingOf(document.content);
  try {
    return {
      ...document,
      title: title.trim() || document.title,
      content: contentWith(document.content, { kind, text }),
    };
  } catch {
    return document;
  }
}

/** A document with the text of a draft in it. */
export function documentWith(document: Document, draft: Draft | undefined): Document {
  const text = draft && textWith(document, draft);
  return text ? withText(document, text) : document;
}
