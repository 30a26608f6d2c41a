import { lazy, type ReactNode, Suspense, useCallback, useState } from "react";
import { useLocation } from "wouter";
import type { DocumentListItem } from "../../api/documents.ts";
import type { Folder } from "../../api/folders.ts";
import { isApiError } from "../../api/request.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { ShortMomentIn, useTimezone, useToday } from "../../kit/time.tsx";
import { toast } from "../../state/toasts.ts";
import { countsIn, pathName } from "../folders/folders.ts";
import { usePinned } from "../things/pinned.ts";
import { BulkProgress } from "./bulk-progress.tsx";
import { readEverything, useDocuments } from "./data.ts";
import styles from "./documents.module.css";
import { DropArea, UploadState } from "./drop-area.tsx";
import { Filters } from "./filters.tsx";
import { type Facts, focusedRow } from "./list.tsx";
import { PeekedRows } from "./peeked-rows.tsx";
import {
  addressOf,
  isFiltered,
  NO_FOLDER,
  newAddress,
  type Place,
  placeOf,
  type TaskFilter,
} from "./place.ts";
import { useSelection } from "./selection.ts";
import type { useUpload } from "./upload.ts";

const Pinned = lazy(() => import("./pinned.tsx"));
const BulkBar = lazy(() => import("./bulk-bar.tsx"));
const BulkTags = lazy(() => import("./bulk-tags.tsx"));
const FolderPicker = lazy(() =>
  import("../folders/folder-picker.tsx").then(({ FolderPicker: picker }) => ({ default: picker })),
);

type Shown = DocumentListItem;

const numberOf = (count: number) => count.toLocaleString("en-GB");

const Tasks = ({ open, done }: { open: number; done: number }) => (
  <span className={styles.tasks}>
    {numberOf(done)} of {numberOf(open + done)} done
  </span>
);

type WhereProps = Pick<Shown, "tags" | "tasks"> & { folder: string | undefined };

const Where = ({ tags, tasks, folder }: WhereProps) => (
  <>
    {folder && <span className={styles.folder}>{folder}</span>}
    {tasks && <Tasks {...tasks} />}
    {tags.length > 0 && <span className={styles.tags}>{tags.map((tag) => `#${tag}`).join(" ")}</span>}
  </>
);

/** What rows say; the same function as long as it depends on the same. */
function useFacts({ folder, sort }: Place, folders: Folder[]) {
  const timezone = useTimezone();
  const today = useToday();
  return useCallback(
    (item: Shown): Facts => {
      const path = folder ? undefined : pathName(folders, item.folder_id);
      const at = sort === "created" || sort === "oldest" ? item.created_at : item.updated_at;
      return {
        when: <ShortMomentIn at={at} timezone={timezone} today={today} />,
        words: item.excerpt === "" ? "No text" : item.excerpt,
        where: <Where tags={item.tags} tasks={item.tasks} folder={path} />,
      };
    },
    [folder, sort, folders, timezone, today],
  );
}

const addressOfItem = ({ id }: Shown) => `/documents/${id}`;

function emptyTitle({ folder }: Place): string {
  if (folder === NO_FOLDER) return "Every document is in a folder";
  return folder ? "This folder is empty" : "No documents yet";
}

const WITHOUT: Record<TaskFilter, string> = {
  open: "has an open task",
  done: "has all of its tasks done",
  any: "has tasks",
};

function filteredTitle({ tags, tasks }: Place): string {
  if (!tasks) return "No document here has all of these tags";
  return `No document here ${tags.length > 0 ? "with these tags " : ""}${WITHOUT[tasks]}`;
}

const Nothing = ({ place, go }: { place: Place; go: (place: Place) => void }) => {
  if (isFiltered(place)) {
    return (
      <Empty title={filteredTitle(place)}>
        <Button onPress={() => go({ ...place, tags: [], tasks: undefined })}>Show all of them</Button>
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
      <Button onPress={() => go(placeOf(""))}>Show all documents</Button>
    </Empty>
  ) : (
    <Problem problem={problem} retry={retry} />
  );

type Props = {
  place: Place;
  go: (place: Place) => void;
  folders: Folder[];
  uploading: ReturnType<typeof useUpload>;
};

type ListProps = Pick<Props, "place" | "go" | "folders"> & { list: ReturnType<typeof useDocuments> };

const documentActions = () => import("../things/document-actions.ts");

/** The list with what can be done to the documents that are selected in it. */
function Listed({ place, go, folders, list }: ListProps) {
  const { selected, chosen, select, toggle, selectEverything, clear } = useSelection(list.items);
  const facts = useFacts(place, folders);
  const [asked, setAsked] = useState<"move" | "tag">();
  const folderName = folders.find(({ id }) => id === place.folder)?.name;
  const ask = (about: "move" | "tag") => chosen.length > 0 && setAsked(about);
  const trash = async () => {
    if (chosen.length === 0) return;
    clear();
    (await documentActions()).trashDocuments(chosen);
  };
  useShortcuts({ x: () => toggle(focusedRow()), m: () => ask("move"), t: () => ask("tag"), "#": trash });
  const move = async (id: string | null, name: string) => {
    clear();
    (await documentActions()).moveDocuments(chosen, { id, name });
  };
  const filters = (list.total > 0 || isFiltered(place)) && (
    <Filters place={place} folderName={folderName} onChange={(part) => go({ ...place, ...part })} />
  );
  const isMore = chosen.length >= list.items.length && chosen.length < list.total;
  const everything = {
    total: list.total,
    read: async (onRead: (count: number) => void) =>
      selectEverything(await readEverything(place, list.total, onRead)),
  };
  return (
    <>
      {chosen.length > 0 ? (
        <Suspense fallback={filters}>
          <BulkBar
            count={chosen.length}
            onClear={clear}
            everything={isMore ? everything : undefined}
            steps={{ move: () => ask("move"), tag: () => ask("tag"), trash }}
          />
        </Suspense>
      ) : (
        filters
      )}
      {list.items.length === 0 ? (
        <Nothing place={place} go={go} />
      ) : (
        <PeekedRows
          key={addressOf(place)}
          label={folderName ?? "Documents"}
          items={list.items}
          total={list.total}
          selected={selected}
          onSelect={select}
          facts={facts}
          href={addressOfItem}
          isDraggable
          hasMore={list.hasNextPage}
          isLoading={list.isFetchingNextPage}
          loadMore={list.fetchNextPage}
        />
      )}
      <Suspense>
        {asked === "move" && (
          <FolderPicker
            title={`Move ${numberOf(chosen.length)} selected to`}
            isOpen
            onClose={() => setAsked(undefined)}
            onPick={move}
          />
        )}
        {asked === "tag" && <BulkTags documents={chosen} onClose={() => setAsked(undefined)} />}
      </Suspense>
    </>
  );
}

/** What is pinned stands above all documents, which wait for it, or they would be moved. */
function BelowPinned({ place, children }: { place: Place; children: ReactNode }) {
  const { data, isPending } = usePinned();
  if (place.folder !== undefined || isFiltered(place)) return children;
  if (isPending) return <Loading />;
  return (
    <Suspense fallback={<Loading />}>
      {data && data.items.length > 0 && <Pinned isAbove />}
      {children}
    </Suspense>
  );
}

/** The documents of a place. Files that are dropped onto them become documents there. */
export function Shelf({ place, go, folders, uploading }: Props) {
  const here = folders.find(({ id }) => id === place.folder);
  const inside = here ? (countsIn(folders).get(here.id) ?? 0) - here.document_count : 0;
  const [, navigate] = useLocation();
  const list = useDocuments(place);
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
      <BulkProgress />
      {upload && <UploadState upload={upload} onRetry={run} onDismiss={dismiss} />}
      {list.isPending ? (
        <Loading />
      ) : (
        <BelowPinned place={place}>
          <Listed place={place} go={go} folders={folders} list={list} />
        </BelowPinned>
      )}
      {list.notes.map((note) => (
        <p key={note} className={styles.quiet}>
          {note}
        </p>
      ))}
      {list.total > 0 && (
        <p className={styles.quiet} role="status">
          {numberOf(list.total)} document{list.total === 1 ? "" : "s"}
          {inside > 0 && ` here, ${numberOf(inside)} in the folders inside`}
        </p>
      )}
    </DropArea>
  );
}
