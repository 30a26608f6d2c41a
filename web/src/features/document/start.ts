import type { Document } from "../../api/documents.ts";
import type {
  ConflictingVersion,
  CopiedFields,
  CreateRequest,
  StoredDraft,
} from "../../state/document-drafts.ts";
import type { TitledText } from "./merging.ts";
import { type Kind, writingOf } from "./writing.ts";

/** The initial state of an editor. */
export type EditStart = {
  /** The document to change; undefined for a new one. */
  base: Document | undefined;
  /** The folder of a new document. */
  folder?: string | null;
  kind: Kind;
  /** What a new document takes from its template, besides title and text. */
  like?: CopiedFields | undefined;
  title: string;
  text: string;
  /** When the draft was last written, if the text is not saved. */
  keptAt?: string;
  /** The query string that gave a new document its initial text. */
  from?: string | undefined;
  /** The creation request that has no answer yet. */
  creation?: CreateRequest | undefined;
  /** The id under which the draft is kept. */
  writer?: string | undefined;
  /** The version that changed the same passage as the draft. */
  theirs?: ConflictingVersion | undefined;
  /** Texts that were sent without an answer. */
  sent?: TitledText[] | undefined;
  /** Writers of other drafts merged into the text. */
  includes?: string[] | undefined;
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
