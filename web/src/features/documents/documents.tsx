import { lazy, Suspense, useRef, useState } from "react";
import { FileTrigger } from "react-aria-components";
import { useLocation, useSearch } from "wouter";
import type { Folder } from "../../api/folders.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FileUp, FolderTree as FolderTreeIcon, Plus } from "../../kit/icons.tsx";
import { useMedia } from "../../kit/media.ts";
import { Screen } from "../../kit/screen.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Loading } from "../../kit/states.tsx";
import { isInside, pathName, useFolders } from "../folders/folders.ts";
import { NewMenu } from "../templates/new-menu.tsx";
import styles from "./documents.module.css";
import type { Asked } from "./folder-dialogs.tsx";
import { ALL, addressOf, folderIn, NO_FOLDER, newAddress, type Place, placeOf, TRASH } from "./place.ts";
import { Shelf, type Shown } from "./shelf.tsx";
import { ENDINGS, useUpload } from "./upload.ts";

const Trash = lazy(() => import("./trash.tsx"));
/** Beside the list, or behind a button: the list does not wait for it. */
const FolderTree = lazy(() => import("./folder-tree.tsx"));
const FolderDialog = lazy(() =>
  import("./folder-dialogs.tsx").then(({ FolderDialog: dialog }) => ({ default: dialog })),
);

const NOWHERE: Place = { view: "documents", folder: undefined, tags: [], tasks: undefined, sort: "changed" };

/** Where a row of the tree leads. Tags do not follow into another folder, the order does. */
const placeOfRow = (key: string, { sort }: Place): Place => {
  if (key === TRASH) return { ...NOWHERE, sort, view: "trash" };
  return { ...NOWHERE, sort, folder: key === ALL ? undefined : key };
};

const rowOf = ({ view, folder }: Place) => (view === "trash" ? TRASH : (folder ?? ALL));

type TreeProps = { place: Place; go: (place: Place) => void; shown: { current: Shown[] } };

/** The folder tree with what it asks, and what is dropped on it. */
function Folders({ place, go, shown }: TreeProps) {
  const { data: folders = [] } = useFolders();
  const [asked, setAsked] = useState<Asked>();
  const isTop = (key: string) => key === ALL || key === NO_FOLDER;
  const nameOf = (key: string) => (isTop(key) ? "no folder" : pathName(folders, key));
  const folderOf = (key: string) => (isTop(key) ? null : key);
  const dropDocuments = async (ids: string[], onto: string) => {
    const dropped = shown.current.filter(({ id }) => ids.includes(id));
    const { moveDocuments, trashDocuments } = await import("./document-actions.ts");
    if (onto === TRASH) trashDocuments(dropped);
    else moveDocuments(dropped, { id: folderOf(onto), name: nameOf(onto) });
  };
  const dropFolder = async (id: string, onto: string) => {
    const folder = folders.find((other) => other.id === id);
    if (!folder || isInside(folders, folderOf(onto), id)) return;
    if (onto === TRASH) return setAsked({ about: "delete", folder });
    const { moveFolder } = await import("./folder-actions.ts");
    moveFolder(folder, { id: folderOf(onto), name: isTop(onto) ? "the top level" : nameOf(onto) });
  };
  return (
    <>
      <Suspense>
        <FolderTree
          folders={folders}
          current={rowOf(place)}
          onOpen={(key) => go(placeOfRow(key, place))}
          onAsk={setAsked}
          onDropDocuments={dropDocuments}
          onDropFolder={dropFolder}
        />
      </Suspense>
      {asked && (
        <Suspense>
          <FolderDialog
            asked={asked}
            folders={folders}
            onClose={() => setAsked(undefined)}
            onCreate={({ id }) => go(placeOfRow(id, place))}
            onDelete={({ id, parent_id }) => {
              if (isInside(folders, place.folder ?? null, id)) go(placeOfRow(parent_id ?? ALL, place));
            }}
          />
        </Suspense>
      )}
    </>
  );
}

/** On a phone the tree is behind a button. */
function FoldersOnPhone(props: TreeProps) {
  const [isOpen, setOpen] = useState(false);
  const go = (place: Place) => {
    setOpen(false);
    props.go(place);
  };
  return (
    <>
      <Button onPress={() => setOpen(true)}>
        <FolderTreeIcon aria-hidden="true" size="1rem" /> Folders
      </Button>
      <Dialog title="Folders" isOpen={isOpen} onClose={() => setOpen(false)}>
        <Folders {...props} go={go} />
      </Dialog>
    </>
  );
}

type ActionsProps = { place: Place; onFiles: (files: File[]) => void };

const ScreenActions = ({ place, onFiles }: ActionsProps) => (
  <>
    <FileTrigger
      allowsMultiple
      acceptedFileTypes={[...ENDINGS, "text/markdown", "text/plain"]}
      onSelect={(files) => onFiles([...(files ?? [])])}
    >
      <Button aria-label="Add files">
        <FileUp aria-hidden="true" size="1rem" /> <span className={styles.onDesk}>Add files</span>
      </Button>
    </FileTrigger>
    <ButtonLink kind="primary" href={newAddress(place)}>
      <Plus aria-hidden="true" size="1rem" />
      <span>
        New<span className={styles.onDesk}> document</span>
      </span>
      <kbd>n</kbd>
    </ButtonLink>
    <NewMenu folder={folderIn(place)} />
  </>
);

function titleOf({ view, folder }: Place, folders: readonly Folder[] = []): string {
  if (view === "trash") return "Trash";
  if (folder === NO_FOLDER) return "In no folder";
  return folders.find(({ id }) => id === folder)?.name ?? "Documents";
}

/** All documents by folder and tag, and the trash. The address keeps what is shown. */
export default function Documents() {
  const [, navigate] = useLocation();
  const place = placeOf(useSearch());
  const { data: folders } = useFolders();
  const isPhone = useMedia("(max-width: 48rem)");
  const shown = useRef<Shown[]>([]);
  const uploading = useUpload(folderIn(place));
  const go = (next: Place) => navigate(addressOf(next));
  useShortcuts({ n: () => navigate(newAddress(place)) });
  const isTrash = place.view === "trash";
  const tree = { place, go, shown };
  return (
    <Screen
      title={titleOf(place, folders)}
      actions={
        <>
          {isPhone && <FoldersOnPhone {...tree} />}
          {!isTrash && <ScreenActions place={place} onFiles={uploading.run} />}
        </>
      }
    >
      <div className={styles.columns}>
        {!isPhone && (
          <aside className={styles.tree} aria-label="Folders">
            <Folders {...tree} />
          </aside>
        )}
        <div className={styles.content}>
          {isTrash ? (
            <Suspense fallback={<Loading />}>
              <Trash />
            </Suspense>
          ) : (
            <Shelf place={place} go={go} folders={folders ?? []} uploading={uploading} shown={shown} />
          )}
        </div>
      </div>
    </Screen>
  );
}
