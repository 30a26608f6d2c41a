import { type RefObject, useState } from "react";
import { useLocation } from "wouter";
import type { DocumentListItem, Folder } from "../../api.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { moveDocuments, trashDocuments } from "../../parts/document-actions.ts";
import { FolderPicker } from "../../parts/folder-picker.tsx";
import { pathName } from "../folders/folders.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../parts/time.tsx";
import { toast } from "../../parts/toasts.tsx";
import { isApiError } from "../../api/request.ts";
import { BulkActions, BulkTags, SelectionBar } from "../../documents/bulk-bar.tsx";
import { useDocuments } from "./data.ts";
import styles from "./documents.module.css";
import { DropArea, UploadState } from "./drop-area.tsx";
import { Filters } from "./filters.tsx";
import { DocumentRows } from "./list.tsx";
import { addressOf, NO_FOLDER, newAddress, type Place } from "./place.ts";
import { useSelection } from "../../documents/selection.ts";
import type { useUpload } from "./upload.ts";

export type Shown = DocumentListItem;

type FactsProps = { item: Shown; folder: string | undefined; sort: Place["sort"] };

const Facts = ({ item, folder, sort }: FactsProps) => (
  <span className={styles.facts}>
    {item.tags.length > 0 && <span className={styles.tags}>{item.tags.join(", ")}</span>}
    {folder && <span className={styles.folder}>{folder}</span>}
    <Moment at={sort === "created" || sort === "oldest" ? item.created_at : item.updated_at} />
  </span>
);

function emptyTitle({ folder }: Place): string {
  if (folder === NO_FOLDER) return "Every document is in a folder";
  return folder ? "This folder is empty" : "No documents yet";
}

const Nothing = ({ place, go }: { place: Place; go: (place: Place) => void }) => {
  if (place.tags.length > 0) {
    return (
      <Empty title="No document here has all of these tags">
        <Button onPress={() => go({ ...place, tags: [] })}>Show all of them</Button>
      </Empty>
    );
  }
  return (
    <Empty title={emptyTitle(place)}>
      <p>
        Drop Markdown or text files here, write one, or drag documents here from another folder. Your
        assistants write here too, once they are connected.
      </p>
      <div className={styles.ways}>
        <ButtonLink kind="primary" href={newAddress(place)}>
          Write a document
        </ButtonLink>
        <ButtonLink href="/settings/transfer">Import a folder or an export</ButtonLink>
        <ButtonLink href="/settings/connections">Connect an assistant</ButtonLink>
      </div>
    </Empty>
  );
};

const Failed = ({ problem, retry, go }: { problem: Error; retry: () => void; go: (place: Place) => void }) =>
  isApiError(problem, 404, 422) ? (
    <Empty title="This folder does not exist">
      <p>It was deleted, or it belongs to another account.</p>
      <Button onPress={() => go({ view: "documents", folder: undefined, tags: [], sort: "changed" })}>
        Show all documents
      </Button>
    </Empty>
  ) : (
    <Problem problem={problem} retry={retry} />
  );

type Props = {
  place: Place;
  go: (place: Place) => void;
  folders: Folder[];
  uploading: ReturnType<typeof useUpload>;
  /** Gets the documents that are listed, for what is dropped elsewhere. */
  shown: RefObject<Shown[]>;
};

type ListProps = Pick<Props, "place" | "go" | "folders"> & { list: ReturnType<typeof useDocuments> };

/** The list with what can be done to the documents that are selected in it. */
function Listed({ place, go, folders, list }: ListProps) {
  const { selected, chosen, select, clear } = useSelection(list.items);
  const [asked, setAsked] = useState<"move" | "tag">();
  const folderName = folders.find(({ id }) => id === place.folder)?.name;
  const ask = (about: "move" | "tag") => chosen.length > 0 && setAsked(about);
  const trash = () => {
    if (chosen.length === 0) return;
    clear();
    trashDocuments(chosen);
  };
  useShortcuts({ m: () => ask("move"), t: () => ask("tag"), "#": trash });
  const move = (id: string | null) => {
    clear();
    moveDocuments(chosen, { id, name: id ? pathName(folders, id) : "no folder" });
  };
  return (
    <>
      {chosen.length > 0 ? (
        <SelectionBar count={chosen.length} onClear={clear}>
          <BulkActions move={() => ask("move")} tag={() => ask("tag")} trash={trash} />
        </SelectionBar>
      ) : (
        (list.total > 0 || place.tags.length > 0) && (
          <Filters place={place} folderName={folderName} onChange={(part) => go({ ...place, ...part })} />
        )
      )}
      {list.items.length === 0 ? (
        <Nothing place={place} go={go} />
      ) : (
        <DocumentRows
          key={addressOf(place)}
          label={folderName ?? "Documents"}
          items={list.items}
          total={list.total}
          selected={selected}
          onSelect={select}
          facts={(item) => (
            <Facts
              item={item}
              sort={place.sort}
              folder={place.folder ? undefined : pathName(folders, item.folder_id)}
            />
          )}
          href={({ id }) => `/documents/${id}`}
          isDraggable
          hasMore={list.hasNextPage}
          isLoading={list.isFetchingNextPage}
          loadMore={list.fetchNextPage}
        />
      )}
      <FolderPicker
        title={`Move ${chosen.length} selected to`}
        isOpen={asked === "move"}
        onClose={() => setAsked(undefined)}
        onPick={move}
      />
      <BulkTags documents={chosen} isOpen={asked === "tag"} onClose={() => setAsked(undefined)} />
    </>
  );
}

/** The documents of a place. Files that are dropped onto them become documents there. */
export function Shelf({ place, go, folders, uploading, shown }: Props) {
  const [, navigate] = useLocation();
  const list = useDocuments(place);
  shown.current = list.items;
  const { upload, run, dismiss } = uploading;
  const sendToImport = () => {
    toast({ kind: "refused", text: "A whole folder is imported under Import" });
    navigate("/settings/transfer");
  };
  if (list.error && list.items.length === 0) {
    return <Failed problem={list.error} retry={list.refetch} go={go} />;
  }
  return (
    <DropArea onFiles={run} onFolder={sendToImport}>
      {upload && <UploadState upload={upload} onRetry={run} onDismiss={dismiss} />}
      {list.isPending ? <Loading /> : <Listed place={place} go={go} folders={folders} list={list} />}
      {list.total > 0 && (
        <p className={styles.quiet} role="status">
          {list.total} document{list.total === 1 ? "" : "s"}
        </p>
      )}
    </DropArea>
  );
}
