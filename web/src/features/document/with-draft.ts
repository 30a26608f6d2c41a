import type { Document } from "../../api/documents.ts";
import type { Draft } from "../../state/document-drafts.ts";
import { mergeDocument, type TitledText } from "./merging.ts";
import { isSameWriting, withSourceText, writingOf } from "./writing.ts";

// Documents with the text of an unsaved draft.

/** The document's text merged with a draft; undefined if the user has to decide first. */
function mergedText(
  document: Document,
  { base, title, text, sent = [], refused }: Draft,
): TitledText | undefined {
  if (refused || !base) return undefined;
  const mine = { title, text };
  return isSameWriting(document, base) ? mine : mergeDocument(document, base, { mine, sent }).text;
}

/** The document with another title and text. Returns it unchanged if the text is incomplete JSON. */
export function documentWithText(document: Document, { title, text }: TitledText): Document {
  const { kind } = writingOf(document.content);
  try {
    return {
      ...document,
      title: title.trim() || document.title,
      content: withSourceText(document.content, { kind, text }),
    };
  } catch {
    return document;
  }
}

/** A document with the text of a draft, unless the user has to decide first. */
export function documentWithDraft(document: Document, draft: Draft | undefined): Document {
  const text = draft && mergedText(document, draft);
  return text ? documentWithText(document, text) : document;
}
