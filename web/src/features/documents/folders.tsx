import { type ReactNode, useEffect } from "react";
import { useLoadOnPress } from "../../kit/load-on-press.ts";
import { rememberHeight } from "../../state/remembered-heights.ts";
import { folderPathName, isWithinFolder, useFolders } from "../folders/folders.ts";
import { moveDocuments, trashDocuments } from "../things/document-actions.ts";
import { usePinned } from "../things/pinned.ts";
import { cachedListItems } from "./data.ts";
import { NewFolderButton } from "./first-folders.tsx";
import { moveFolder } from "./folder-actions.ts";
import type { FolderDialogState } from "./folder-dialogs.tsx";
import styles from "./folder-tree.module.css";
import FolderTree from "./folder-tree.tsx";
import Pinned from "./pinned.tsx";
import {
  ALL_KEY,
  type DocumentsView,
  documentsUrl,
  NO_FOLDER,
  parseDocumentsView,
  TRASH_KEY,
} from "./view.ts";

const DEFAULT_VIEW = parseDocumentsView("");

/** The place that a row of the tree opens. It keeps the sort order, but not the tags. */
const viewOfRow = (key: string, { sort }: DocumentsView): DocumentsView => {
  if (key === TRASH_KEY) return { ...DEFAULT_VIEW, sort, view: "trash" };
  return { ...DEFAULT_VIEW, sort, folder: key === ALL_KEY ? undefined : key };
};

const rowKey = ({ view, folder }: DocumentsView) => (view === "trash" ? TRASH_KEY : (folder ?? ALL_KEY));

type Props = {
  /** The current place; undefined on other screens. */
  place: DocumentsView | undefined;
  go: (address: string) => void;
  asked: FolderDialogState | undefined;
  onAsk: (asked: FolderDialogState | undefined) => void;
  /** Placeholder while the folders load, in the sidebar. Without it, the tree includes "All documents". */
  wait?: ReactNode;
};

const remember = rememberHeight("folders");

/** Pinned documents and the folder tree, with its dialogs and drop actions. */
export default function Folders({ place: shown, go, asked, onAsk, wait }: Props) {
  const place = shown ?? DEFAULT_VIEW;
  const { data: folders = [], isPending } = useFolders();
  const pinned = usePinned();
  const [FolderDialog, loadDialog] = useLoadOnPress(() => import("./folder-dialogs.tsx"));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each question
  useEffect(() => {
    if (asked) loadDialog();
  }, [asked]);
  const isTop = (key: string) => key === ALL_KEY || key === NO_FOLDER;
  const nameOf = (key: string) => (isTop(key) ? "no folder" : folderPathName(folders, key));
  const folderOf = (key: string) => (isTop(key) ? null : key);
  const addressOfRow = (key: string) => documentsUrl(viewOfRow(key, place));
  const dropDocuments = (ids: string[], onto: string) => {
    const dropped = cachedListItems(ids);
    if (onto === TRASH_KEY) trashDocuments(dropped);
    else moveDocuments(dropped, { id: folderOf(onto), name: nameOf(onto) });
  };
  const dropFolder = (id: string, onto: string) => {
    const folder = folders.find((other) => other.id === id);
    if (!folder || isWithinFolder(folders, folderOf(onto), id)) return;
    if (onto === TRASH_KEY) onAsk({ about: "delete", folder });
    else moveFolder(folder, { id: folderOf(onto), name: isTop(onto) ? "the top level" : nameOf(onto) });
  };
  if (wait && (isPending || pinned.isPending)) return wait;
  return (
    <div className={styles.all} ref={wait ? remember : undefined}>
      {wait && <Pinned />}
      <FolderTree
        folders={folders}
        current={shown && rowKey(shown)}
        hasAll={!wait}
        href={addressOfRow}
        onOpen={(key) => go(addressOfRow(key))}
        onAsk={onAsk}
        onDropDocuments={dropDocuments}
        onDropFolder={dropFolder}
      />
      {!wait && <NewFolderButton onPress={() => onAsk({ about: "create", inside: place.folder })} />}
      {asked && FolderDialog && (
        <FolderDialog
          asked={asked}
          folders={folders}
          onClose={() => onAsk(undefined)}
          onCreate={({ id }) => go(addressOfRow(id))}
          onDelete={({ id, parent_id }) => {
            if (isWithinFolder(folders, place.folder ?? null, id)) go(addressOfRow(parent_id ?? ALL_KEY));
          }}
        />
      )}
    </div>
  );
}
