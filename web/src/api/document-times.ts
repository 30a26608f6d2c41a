import type { Document } from "../../../src/contract/document.ts";

type Times = Pick<Document, "updated_at" | "changed_at">;

/** When the text was last changed. Documents cached by earlier versions of the app lack `changed_at`. */
export const textChangedAt = ({ changed_at, updated_at }: Times): string => changed_at ?? updated_at;

/** Whether tags or folder were changed after the text. */
export const wasFiledAfterLastEdit = (document: Times): boolean =>
  textChangedAt(document) < document.updated_at;

type SortableFields = Times & Pick<Document, "title" | "created_at">;

export const sortValue = (one: SortableFields, sort: keyof SortableFields): string =>
  sort === "changed_at" ? textChangedAt(one) : one[sort];
