import { useLocation, useSearch } from "wouter";
import { pathOf } from "../../../../src/contract/paths.ts";
import type { FileKind } from "../../api/files.ts";

// The view of the Files screen, as encoded in its URL.

/** Names of the kind filters. */
export const KINDS: Record<FileKind | "all", string> = {
  all: "All",
  image: "Pictures",
  pdf: "PDF",
  audio: "Audio",
  video: "Video",
  text: "Text",
  other: "Other",
};

export type Look = "tiles" | "list";

export type Place = { kind: FileKind | "all"; look: Look; isTrash: boolean };

const isKind = (kind: string): kind is Place["kind"] => kind in KINDS;

export function placeIn(search: string): Place {
  const query = new URLSearchParams(search);
  const kind = query.get("kind") ?? "all";
  return {
    kind: isKind(kind) ? kind : "all",
    look: query.get("look") === "list" ? "list" : "tiles",
    isTrash: query.get("view") === "trash",
  };
}

/** The current view, and a function that changes it. */
export function usePlace() {
  const place = placeIn(useSearch());
  const [, navigate] = useLocation();
  const go = (next: Partial<Place>) => {
    const { kind, look, isTrash } = { ...place, ...next };
    const query = new URLSearchParams({
      ...(kind !== "all" && { kind }),
      ...(look !== "tiles" && { look }),
      ...(isTrash && { view: "trash" }),
    });
    navigate(`${pathOf("files")}${query.size > 0 ? `?${query}` : ""}`, { replace: true });
  };
  return { ...place, go };
}
