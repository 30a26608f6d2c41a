import type { Document } from "../../api/documents.ts";
import type { Draft, StoredDraft } from "../../state/document-drafts.ts";
import { type Kind, writingOf } from "./writing.ts";

/** The initial state of an editor: that of a draft, or a document or new text without one. */
export type EditStart = Omit<Draft, "at" | "refused"> & {
  /** The folder of a new document. */
  folder?: string | null;
  kind: Kind;
  /** When the draft was last written, if the text is not saved. */
  keptAt?: string;
  /** The id under which the draft is kept. */
  writer?: string | undefined;
};

export const editStartOf = (base: Document): EditStart => ({
  base,
  title: base.title,
  ...writingOf(base.content),
});

export const editStartOfDraft = ({ place, at, refused: _, ...draft }: StoredDraft): EditStart => ({
  ...draft,
  keptAt: at,
  writer: place.writer,
  folder: new URLSearchParams(draft.from).get("folder"),
  kind: draft.base ? writingOf(draft.base.content).kind : (draft.like?.kind ?? "markdown"),
});
