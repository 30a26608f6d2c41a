import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { queries } from "../../state/queries.ts";
import { ALL_FOLDERS_QUERY } from "../folders/folders.ts";
import type { DocumentEditor } from "./document-editor.ts";
import type { EditorLink } from "./editor/follow-links.ts";
import { createLinkedDocument } from "./linked/create-linked.ts";
import { documentPath, lookUpPath, titleOfTarget } from "./linked/follow.ts";
import { knownLinks, useResolveLink } from "./linked/linked-documents.ts";
import { folderForTarget } from "./linked/target-folder.ts";
import { resolveLink } from "./links.ts";
import type { EditStart } from "./start.ts";

const readFolders = () => queries.fetchQuery(ALL_FOLDERS_QUERY).catch(() => []);

/**
 * Resolves and follows links of the edited text, which is kept first, and creates documents for them. `opening`: the title that
 * is being looked up.
 */
export function useEditorLinks(editor: DocumentEditor, start: EditStart, id: string | undefined) {
  const resolveTarget = useResolveLink(id);
  const [, navigate] = useLocation();
  const [opening, setOpening] = useState<string>();
  const folderId = () => editor.getSnapshot().base?.folder_id ?? start.folder ?? null;
  /** Counts the links that were followed. */
  const followed = useRef(0);
  useEffect(
    () => () => {
      // Whoever has gone elsewhere meanwhile stays there.
      followed.current += 1;
    },
    [],
  );
  const leaveFor = async (find: (isLatest: () => boolean) => string | Promise<string | undefined>) => {
    followed.current += 1;
    const { current } = followed;
    const isLatest = () => followed.current === current;
    const to = await find(isLatest);
    if (!isLatest()) return;
    setOpening(undefined);
    if (to === undefined) return;
    await editor.keep();
    if (isLatest()) navigate(to);
  };
  const followTarget = async (target: string, heading?: string) => {
    const { base } = editor.getSnapshot();
    const id = target === "" ? base?.id : base && knownLinks(base.id)(target)?.id;
    if (id === undefined && target === "") return;
    if (id) return leaveFor(() => documentPath(id, heading));
    setOpening(titleOfTarget(target));
    return leaveFor((isWanted) => lookUpPath({ target, heading, folderId: folderId(), isWanted }));
  };
  const followAddress = (address: string) => {
    const { kind, href } = resolveLink(address, location.origin);
    if (kind === "screen") void leaveFor(() => href);
    else if (kind === "elsewhere" || kind === "here") open(href, "_blank", "noopener,noreferrer");
  };
  const links = {
    resolveTarget,
    onFollow: (link: EditorLink) =>
      "address" in link ? followAddress(link.address) : void followTarget(link.target, link.heading),
    onCreateLinked: async (target: string, title: string) => {
      const folder = folderForTarget(target, await readFolders()) ?? folderId();
      await createLinkedDocument(title, folder);
    },
  };
  return { links, opening };
}
