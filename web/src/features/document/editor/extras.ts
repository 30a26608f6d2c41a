import type { Extension } from "@codemirror/state";
import type { MakeCommitment } from "./commit-task.ts";
import { fenceEnd } from "./fence.ts";
import { filePictures } from "./file-pictures.ts";
import { type EditorLink, followLinks } from "./follow-links.ts";
import { type CreateLinked, linkSource } from "./link-completion.ts";
import { insertMenu } from "./slash.ts";
import { tableKeys } from "./table-keys.ts";
import { tablePipe } from "./table-pipe.ts";
import { wrapping } from "./wrap-selection.ts";

export { openForTyped } from "./slash.ts";

export type ExtrasOptions = {
  today: () => string;
  commit: MakeCommitment;
  add: () => void;
  createLinked: CreateLinked;
  follow: (link: EditorLink) => void;
};

/** What is not needed for the first keystroke in Markdown. */
export const markdownExtras = ({ today, commit, add, createLinked, follow }: ExtrasOptions): Extension => [
  insertMenu(today, commit, add, linkSource(createLinked)),
  filePictures,
  tableKeys,
  tablePipe,
  wrapping,
  fenceEnd,
  followLinks(follow),
];
