import { INLINE_TYPES } from "../../../../src/contract/file-limits.ts";
import type { FileKind, StoredFile } from "../../api/files.ts";
import { bytes } from "../transfer/bytes.ts";

export const KIND_NAMES: Record<FileKind, string> = {
  image: "Picture",
  pdf: "PDF",
  audio: "Audio",
  video: "Video",
  text: "Text",
  other: "File",
};

/** What has no shape, or turns the direction of what follows: "gpj.exe" must not be shown as "exe.jpg". */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A file's name as it is shown. */
export const shownName = (name: string): string => name.replace(UNSEEN, "\ufffd");

/** "Picture", or "DOCX" of what has no kind. */
export function kindOf({ kind, name }: Pick<StoredFile, "kind" | "name">): string {
  if (kind !== "other") return KIND_NAMES[kind];
  const ending = /\.(\w{1,8})$/.exec(name)?.[1];
  return ending ? ending.toUpperCase() : KIND_NAMES.other;
}

/** "PDF", "1.2 MB", "12 pages" */
export const factsOf = ({ kind, name, bytes: size, width, height, pages }: StoredFile): string[] => [
  kindOf({ kind, name }),
  bytes(size),
  ...(width && height ? [`${width} × ${height}`] : []),
  ...(pages ? [`${pages} page${pages === 1 ? "" : "s"}`] : []),
];

/** Whether the browser shows it as a picture: of SVG and the like only the name is shown. */
export const isShownPicture = ({ kind, type }: Pick<StoredFile, "kind" | "type">): boolean =>
  kind === "image" && INLINE_TYPES.includes(type);

/** Whether the viewer has more to show than its name. */
export const isShown = ({ type }: Pick<StoredFile, "type">): boolean => INLINE_TYPES.includes(type);

/** What a picture says to those who do not see it. */
export const altOf = ({ alt, name }: Pick<StoredFile, "alt" | "name">): string => alt || shownName(name);
