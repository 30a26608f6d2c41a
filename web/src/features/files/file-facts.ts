import { INLINE_TYPES } from "../../../../src/contract/file-limits.ts";
import type { FileKind, StoredFile } from "../../api/files.ts";
import { formatBytes } from "../transfer/format-bytes.ts";

export const KIND_NAMES: Record<FileKind, string> = {
  image: "Picture",
  pdf: "PDF",
  audio: "Audio",
  video: "Video",
  text: "Text",
  other: "File",
};

/** Invisible and direction-changing characters: "gpj.exe" must not be shown as "exe.jpg". */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A file name that is safe to show. */
export const safeFileName = (name: string): string => name.replace(INVISIBLE, "\ufffd");

/** "Picture"; the extension, such as "DOCX", for other kinds. */
export function fileKindName({ kind, name }: Pick<StoredFile, "kind" | "name">): string {
  if (kind !== "other") return KIND_NAMES[kind];
  const ending = /\.(\w{1,8})$/.exec(name)?.[1];
  return ending ? ending.toUpperCase() : KIND_NAMES.other;
}

/** "PDF", "1.2 MB", "12 pages" */
export const fileFacts = ({ kind, name, bytes: size, width, height, pages }: StoredFile): string[] => [
  fileKindName({ kind, name }),
  formatBytes(size),
  ...(width && height ? [`${width} × ${height}`] : []),
  ...(pages ? [`${pages} page${pages === 1 ? "" : "s"}`] : []),
];

/** Whether it is shown as a picture; SVG, for instance, is not. */
export const isShownPicture = ({ kind, type }: Pick<StoredFile, "kind" | "type">): boolean =>
  kind === "image" && INLINE_TYPES.includes(type);

/** Whether the viewer can show its content. */
export const isViewable = ({ type }: Pick<StoredFile, "type">): boolean => INLINE_TYPES.includes(type);

export const altText = ({ alt, name }: Pick<StoredFile, "alt" | "name">): string => alt || safeFileName(name);
