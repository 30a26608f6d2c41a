import { useLocation, useSearch } from "wouter";
import { screenPath } from "../../../../src/contract/paths.ts";
import type { FileKind } from "../../api/files.ts";

// The view of the Files screen, as encoded in its URL.

export const KIND_FILTERS: Record<FileKind | "all", string> = {
  all: "All",
  image: "Pictures",
  pdf: "PDF",
  audio: "Audio",
  video: "Video",
  text: "Text",
  other: "Other",
};

export type Layout = "tiles" | "list";

export type FilesView = { kind: FileKind | "all"; look: Layout; isTrash: boolean };

const isKind = (kind: string): kind is FilesView["kind"] => kind in KIND_FILTERS;

export function parseFilesView(search: string): FilesView {
  const query = new URLSearchParams(search);
  const kind = query.get("kind") ?? "all";
  return {
    kind: isKind(kind) ? kind : "all",
    look: query.get("look") === "list" ? "list" : "tiles",
    isTrash: query.get("view") === "trash",
  };
}

/** The current view, and a function that changes it. */
export function useFilesView() {
  const place = parseFilesView(useSearch());
  const [, navigate] = useLocation();
  const go = (next: Partial<FilesView>) => {
    const { kind, look, isTrash } = { ...place, ...next };
    const query = new URLSearchParams({
      ...(kind !== "all" && { kind }),
      ...(look !== "tiles" && { look }),
      ...(isTrash && { view: "trash" }),
    });
    navigate(`${screenPath("files")}${query.size > 0 ? `?${query}` : ""}`, { replace: true });
  };
  return { ...place, go };
}
