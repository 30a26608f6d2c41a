import { lazy, type ReactNode, Suspense } from "react";
import { rememberRoom } from "../../state/rooms.ts";
import { isInside, pathName, useFolders } from "../folders/folders.ts";
import { moveDocuments, trashDocuments } from "../things/document-actions.ts";
import { usePinned } from "../things/pinned.ts";
import { listedDocuments } from "./data.ts";
import { NewFolder } from "./first-folders.tsx";
import { moveFolder } from "./folder-actions.ts";
import type { Asked } from "./folder-dialogs.tsx";
import styles from "./folder-tree.module.css";
import FolderTree from "./folder-tree.tsx";
import Pinned from "./pinned.tsx";
import { ALL, addressOf, NO_FOLDER, type Place, placeOf, TRASH } from "./place.ts";

const FolderDialog = lazy(() =>
  import("./folder-dialogs.tsx").then(({ FolderDialog: dialog }) => ({ default: dialog })),
);

const NOWHERE = placeOf("");

/** The place that a row of the tree opens. It keeps the sort order, but not the tags. */
const placeOfRow = (key: string, { sort }: Place): Place => {
  if (key === TRASH) return { ...NOWHERE, sort, view: "trash" };
  return { ...NOWHERE, sort, folder: key === ALL ? undefined : key };
};

const rowOf = ({ view, folder }: Place) => (view === "trash" ? TRASH : (folder ?? ALL));

type Props = {
  /** The current place; undefined on other screens. */
  place: Place | undefined;
  go: (address: string) => void;
  /** The open folder dialog, and its setter. */
  asked: Asked | undefined;
  onAsk: (asked: Asked | undefined) => void;
  /** Placeholder while the folders load, in the sidebar. Without it, the tree includes "All documents". */
  wait?: ReactNode;
};

const remember = rememberRoom("folders");

/** Pinned documents and the folder tree, with its dialogs and drop actions. */
export default function Folders({ place: shown, go, asked, onAsk, wait }: Props) {
  const place = shown ?? NOWHERE;
  const { data: folders = [], isPending } = useFolders();
  const pinned = usePinned();
  const isTop = (key: string) => key === ALL || key === NO_FOLDER;
  const nameOf = (key: string) => (isTop(key) ? "no folder" : pathName(folders, key));
  const folderOf = (key: string) => (isTop(key) ? null : key);
  const addressOfRow = (key: string) => addressOf(placeOfRow(key, place));
  const dropDocuments = (ids: string[], onto: string) => {
    const dropped = listedDocuments(ids);
    if (onto === TRASH) trashDocuments(dropped);
    else moveDocuments(dropped, { id: folderOf(onto), name: nameOf(onto) });
  };
  const dropFolder = (id: string, onto: string) => {
    const folder = folders.find((other) => other.id === id);
    if (!folder || isInside(folders, folderOf(onto), id)) return;
    if (onto === TRASH) onAsk({ about: "delete", folder });
    else moveFolder(folder, { id: folderOf(onto), name: isTop(onto) ? "the top level" : nameOf(onto) });
  };
  if (wait && (isPending || pinned.isPending)) return wait;
  return (
    <div className={styles.all} ref={wait ? remember : undefined}>
      {wait && <Pinned />}
      <FolderTree
        folders={folders}
        current={shown && rowOf(shown)}
        hasAll={!wait}
        href={addressOfRow}
        onOpen={(key) => go(addressOfRow(key))}
        onAsk={onAsk}
        onDropDocuments={dropDocuments}
        onDropFolder={dropFolder}
      />
      {!wait && <NewFolder onPress={() => onAsk({ about: "create", inside: place.folder })} />}
      {asked && (
        <Suspense>
          <FolderDialog
            asked={asked}
            folders={folders}
            onClose={() => onAsk(undefined)}
            onCreate={({ id }) => go(addressOfRow(id))}
            onDelete={({ id, parent_id }) => {
              if (isInside(folders, place.folder ?? null, id)) go(addressOfRow(parent_id ?? ALL));
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
