import { useState } from "react";
import type { Folder } from "../../api/folders.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Empty } from "../../kit/states.tsx";
import { formatCount } from "../../kit/text.ts";
import { childFolders } from "../folders/folders.ts";
import styles from "./documents.module.css";
import {
  type DocumentsView,
  documentsUrl,
  isFiltered,
  NO_FOLDER,
  newDocumentUrl,
  type TaskFilter,
} from "./view.ts";

function emptyTitle({ folder }: DocumentsView): string {
  if (folder === NO_FOLDER) return "Every document is in a folder";
  return folder ? "This folder is empty" : "No documents yet";
}

const TASK_TEXTS: Record<TaskFilter, string> = {
  open: "has an open task",
  done: "has all of its tasks done",
  any: "has tasks",
};

function filteredTitle({ tags, tasks }: DocumentsView): string {
  if (!tasks) return "No document here has all of these tags";
  return `No document here ${tags.length > 0 ? "with these tags " : ""}${TASK_TEXTS[tasks]}`;
}

const MAX_SHOWN_FOLDERS = 12;

/** Links to the folders in a folder. */
function FolderLinks({ place, folders }: { place: DocumentsView; folders: Folder[] }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <div className={styles.ways}>
      {folders.slice(0, isWhole ? undefined : MAX_SHOWN_FOLDERS).map(({ id, name }) => (
        <ButtonLink key={id} href={documentsUrl({ ...place, folder: id })}>
          {name}
        </ButtonLink>
      ))}
      {!isWhole && folders.length > MAX_SHOWN_FOLDERS && (
        <Button kind="quiet" onPress={() => setWhole(true)}>
          Show all {formatCount(folders.length)}
        </Button>
      )}
    </div>
  );
}

type Props = { place: DocumentsView; folders: Folder[]; go: (place: DocumentsView) => void };

/** What is shown in place of a list without documents. */
export default function NoDocuments({ place, folders, go }: Props) {
  if (isFiltered(place)) {
    return (
      <Empty title={filteredTitle(place)}>
        <Button onPress={() => go({ ...place, tags: [], tasks: undefined })}>Clear filters</Button>
      </Empty>
    );
  }
  const inside = childFolders(folders, place.folder ?? "");
  if (inside.length > 0) {
    return (
      <Empty title="Only folders here">
        <FolderLinks place={place} folders={inside} />
      </Empty>
    );
  }
  return (
    <Empty title={emptyTitle(place)}>
      <p>
        Write a document, drop Markdown or text files here
        {place.folder && ", or drag one here from another folder"}. Once connected, your assistants can write
        here too.
      </p>
      <div className={styles.ways}>
        <ButtonLink kind="primary" href={newDocumentUrl(place)}>
          Write a document
        </ButtonLink>
        <ButtonLink href="/settings/transfer">Import a folder or an export</ButtonLink>
        <ButtonLink href="/settings/connections">Connect an assistant</ButtonLink>
      </div>
    </Empty>
  );
}
