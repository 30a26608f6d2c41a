import type { Document } from "../../api/documents.ts";
import type { Creation, Like, Theirs } from "../../state/document-drafts.ts";
import type { Text } from "./merging.ts";
import { type Kind, writingOf } from "./writing.ts";

/** What editing begins with. */
export type Start = {
  /** The document that is changed; none for a new one. */
  base: Document | undefined;
  /** The folder of a new one. */
  folder?: string | null;
  kind: Kind;
  /** What a new one has of its template. */
  like?: Like | undefined;
  title: string;
  text: string;
  /** When it was written, if it was not saved then. */
  keptAt?: string;
  /** The address that gave its beginning. */
  from?: string | undefined;
  /** The request that was to create it, if its answer has not come. */
  creation?: Creation | undefined;
  /** Who has written it so far, if it is a draft. */
  writer?: string | undefined;
  /** Who has changed the same passage as a draft. */
  theirs?: Theirs | undefined;
  /** What was sent and not answered. */
  sent?: Text[] | undefined;
};

/** Editing that begins with a document as it is. */
export const startWith = (base: Document): Start => ({
  base,
  title: base.title,
  ...writingOf(base.content),
});
