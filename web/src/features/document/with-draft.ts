import type { Document } from "../../api/documents.ts";
import type { Draft } from "../../state/document-drafts.ts";
import { mergeDocument, type TitledText } from "./merging.ts";
import { isSameWriting, withSourceText, writingOf } from "./writing.ts";

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

/** A document with the text of a draft merged into it, unless the user has to decide first. */
export function documentWithDraft(document: Document, draft: Draft | undefined): Document {
  if (!draft?.base || draft.refused) return document;
  const { base, title, text, sent = [] } = draft;
  const mine = { title, text };
  const merged = isSameWriting(document, base) ? mine : mergeDocument(document, base, { mine, sent }).text;
  return merged ? documentWithText(document, merged) : document;
}
