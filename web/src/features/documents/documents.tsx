import { lazy, Suspense, useState } from "react";
import { FileTrigger } from "react-aria-components";
import { useLocation, useSearch } from "wouter";
import type { Folder } from "../../api/folders.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FileUp } from "../../kit/document-icons.ts";
import { ChevronDown, Plus } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { useMedia } from "../../kit/media.ts";
import { MenuButton } from "../../kit/menu-button.tsx";
import { PHONE } from "../../kit/phone.ts";
import { Screen } from "../../kit/screen.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Loading } from "../../kit/states.tsx";
import { useFolders } from "../folders/folders.ts";
import { prefetchDocuments } from "./data.ts";
import { DocumentShelf } from "./document-shelf.tsx";
import styles from "./documents.module.css";
import type { FolderDialogState } from "./folder-dialogs.tsx";
import { FolderTree as FolderTreeIcon } from "./icons.ts";
import { TEXT_EXTENSIONS, useUpload } from "./upload.ts";
import {
  type DocumentsView,
  documentsUrl,
  NO_FOLDER,
  newDocumentFolder,
  newDocumentUrl,
  parseDocumentsView,
} from "./view.ts";

const Trash = lazy(() => import("./trash.tsx"));
const Folders = lazy(() => import("./folders.tsx"));
const OpenNewMenu = lazy(() => import("../templates/new-menu-open.tsx"));

/** On a phone the folder tree opens in a dialog. */
function FoldersOnPhone({ place, go }: { place: DocumentsView; go: (address: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [asked, setAsked] = useState<FolderDialogState>();
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

const NEW_MENU_LABEL = "Today’s note and templates";

/** Other ways to create a document, next to the button for an empty one. */
function NewMenu({ folder }: { folder: string | undefined }) {
  const [isWanted, setWanted] = useState(false);
  const button = <MenuButton label={NEW_MENU_LABEL} icon={ChevronDown} onPress={() => setWanted(true)} />;
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <OpenNewMenu label={NEW_MENU_LABEL} folder={folder} />
    </Suspense>
  );
}

type ActionsProps = { place: DocumentsView; onFiles: (files: File[]) => void };

const ScreenActions = ({ place, onFiles }: ActionsProps) => (
  <>
    <FileTrigger
      allowsMultiple
      acceptedFileTypes={[...TEXT_EXTENSIONS, "text/markdown", "text/plain"]}
      onSelect={(files) => onFiles([...(files ?? [])])}
    >
      <Button aria-label="Add files">
        <FileUp aria-hidden="true" size="1rem" /> <span className={styles.onDesk}>Add files</span>
      </Button>
    </FileTrigger>
    <ButtonLink kind="primary" href={newDocumentUrl(place)}>
      <Plus aria-hidden="true" size="1rem" />
      <span>
        New<span className={styles.onDesk}> document</span>
      </span>
      <Key>n</Key>
    </ButtonLink>
    <NewMenu folder={newDocumentFolder(place)} />
  </>
);

function screenTitle({ view, folder }: DocumentsView, folders: readonly Folder[] = []): string {
  if (view === "trash") return "Trash";
  if (folder === NO_FOLDER) return "No folder";
  return folders.find(({ id }) => id === folder)?.name ?? "Documents";
}

/** Prefetches the first data of the screen. */
export const ask = () => prefetchDocuments(parseDocumentsView(location.search));

/** All documents by folder and tag, and the trash. The URL holds the view. */
export default function Documents() {
  const [, navigate] = useLocation();
  const place = parseDocumentsView(useSearch());
  const { data: folders } = useFolders();
  const isPhone = useMedia(PHONE);
  const uploading = useUpload(newDocumentFolder(place));
  useShortcuts({ n: () => navigate(newDocumentUrl(place)) });
  const isTrash = place.view === "trash";
  return (
    <Screen
      title={screenTitle(place, folders)}
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
          <DocumentShelf
            place={place}
            go={(next) => navigate(documentsUrl(next))}
            folders={folders ?? []}
            uploading={uploading}
          />
        )}
      </div>
    </Screen>
  );
}
