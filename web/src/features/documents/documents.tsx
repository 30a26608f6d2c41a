import { lazy, Suspense, useState } from "react";
import { FileTrigger } from "react-aria-components";
import { useLocation, useSearch } from "wouter";
import type { Folder } from "../../api/folders.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FileUp, FolderTree as FolderTreeIcon, Plus } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { useMedia } from "../../kit/media.ts";
import { PHONE } from "../../kit/phone.ts";
import { Screen } from "../../kit/screen.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Loading } from "../../kit/states.tsx";
import { useFolders } from "../folders/folders.ts";
import { NewMenu } from "../templates/new-menu.tsx";
import { askFor } from "./data.ts";
import styles from "./documents.module.css";
import type { Asked } from "./folder-dialogs.tsx";
import { addressOf, folderIn, NO_FOLDER, newAddress, type Place, placeOf } from "./place.ts";
import { Shelf } from "./shelf.tsx";
import { ENDINGS, useUpload } from "./upload.ts";

const Trash = lazy(() => import("./trash.tsx"));
const Folders = lazy(() => import("./folders.tsx"));

/** On a phone the folder tree opens in a dialog. */
function FoldersOnPhone({ place, go }: { place: Place; go: (address: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [asked, setAsked] = useState<Asked>();
  const leave = (address: string) => {
    setOpen(false);
    go(address);
  };
  return (
    <>
      <Button onPress={() => setOpen(true)}>
        <FolderTreeIcon aria-hidden="true" size="1rem" /> Folders
      </Button>
      <Dialog title="Folders" isOpen={isOpen} onClose={() => setOpen(false)} hasClose>
        <Suspense fallback={<Loading />}>
          <Folders place={place} go={leave} asked={asked} onAsk={setAsked} />
        </Suspense>
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
      <Key>n</Key>
    </ButtonLink>
    <NewMenu folder={folderIn(place)} />
  </>
);

function titleOf({ view, folder }: Place, folders: readonly Folder[] = []): string {
  if (view === "trash") return "Trash";
  if (folder === NO_FOLDER) return "No folder";
  return folders.find(({ id }) => id === folder)?.name ?? "Documents";
}

/** Prefetches the first data of the screen. */
export const ask = () => askFor(placeOf(location.search));

/** All documents by folder and tag, and the trash. The URL holds the view. */
export default function Documents() {
  const [, navigate] = useLocation();
  const place = placeOf(useSearch());
  const { data: folders } = useFolders();
  const isPhone = useMedia(PHONE);
  const uploading = useUpload(folderIn(place));
  useShortcuts({ n: () => navigate(newAddress(place)) });
  const isTrash = place.view === "trash";
  return (
    <Screen
      title={titleOf(place, folders)}
      actions={
        <>
          {isPhone && <FoldersOnPhone place={place} go={navigate} />}
          {!isTrash && <ScreenActions place={place} onFiles={uploading.run} />}
        </>
      }
    >
      <div className={styles.content}>
        {isTrash ? (
          <Suspense fallback={<Loading />}>
            <Trash />
          </Suspense>
        ) : (
          <Shelf
            place={place}
            go={(next) => navigate(addressOf(next))}
            folders={folders ?? []}
            uploading={uploading}
          />
        )}
      </div>
    </Screen>
  );
}
