import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { DocumentListItem } from "../../api/documents.ts";
import type { Folder } from "../../api/folders.ts";
import { loaded } from "../../kit/loaded.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Loading } from "../../kit/states.tsx";
import type { Kept } from "../../state/document-drafts.ts";
import { painted } from "../../state/painted.ts";
import { toast } from "../../state/toasts.ts";
import { countsIn } from "../folders/folders.ts";
import { usePinned } from "../things/pinned.ts";
import { BulkProgress } from "./bulk-progress.tsx";
import { readEverything, useDocuments } from "./data.ts";
import styles from "./documents.module.css";
import { Filters } from "./filters.tsx";
import { FirstRows } from "./first-rows.tsx";
import { focusedRow, moveInRows } from "./focused-row.ts";
import { Failed, Nothing } from "./nothing.tsx";
import { numberOf } from "./number.ts";
import Pinned from "./pinned.tsx";
import { addressOf, isFiltered, type Place } from "./place.ts";
import { useFacts } from "./row-facts.tsx";
import { useSelection } from "./selection.ts";
import { Unsent, useUnsent, withUnsent } from "./unsent.tsx";
import type { useUpload } from "./upload.ts";

const BulkBar = lazy(() => import("./bulk-bar.tsx"));
const BulkTags = lazy(() => import("./bulk-tags.tsx"));
const FolderPicker = lazy(() =>
  import("../folders/folder-picker.tsx").then(({ FolderPicker: picker }) => ({ default: picker })),
);
const UploadState = lazy(() => import("./upload-state.tsx"));

/** The full list: half a second of a phone's processor time, so it is loaded after the first rows are painted. */
const Rows = loaded(async () => {
  await painted();
  return import("./full-list.tsx");
});
// Starts loading while the documents are requested.
Rows.begin().catch(() => undefined);

const addressOfItem = ({ id }: DocumentListItem) => `/documents/${id}`;

type Props = {
  place: Place;
  go: (place: Place) => void;
  folders: Folder[];
  uploading: ReturnType<typeof useUpload>;
};

type ListProps = Pick<Props, "place" | "go" | "folders"> & {
  list: ReturnType<typeof useDocuments>;
  unsent: readonly Kept[];
  drop: { onFiles: (files: File[]) => void; onFolder: () => void };
};

const documentActions = () => import("../things/document-actions.ts");

/** Keys that move into the list even if nothing has the focus. */
function useRowKeys(toggle: (id: string | undefined) => void): void {
  const isNowhere = () => document.activeElement === document.body;
  useShortcuts({
    j: () => moveInRows("ArrowDown"),
    k: () => moveInRows("ArrowUp"),
    ArrowDown: () => isNowhere() && moveInRows("ArrowDown"),
    ArrowUp: () => isNowhere() && moveInRows("ArrowUp"),
    x: () => (focusedRow() ? toggle(focusedRow()) : moveInRows("ArrowDown")),
  });
}

/** The list, with actions for selected documents. */
function Listed({ place, go, folders, list, unsent, drop }: ListProps) {
  const { selected, chosen, select, toggle, selectEverything, clear } = useSelection(list.items);
  const facts = useFacts(place, folders);
  const items = useMemo(() => withUnsent(list.items, unsent), [list.items, unsent]);
  const [asked, setAsked] = useState<"move" | "tag">();
  const folderName = folders.find(({ id }) => id === place.folder)?.name;
  const ask = (about: "move" | "tag") => chosen.length > 0 && setAsked(about);
  const trash = async () => {
    if (chosen.length === 0) return;
    clear();
    (await documentActions()).trashDocuments(chosen);
  };
  useRowKeys(toggle);
  useShortcuts({ m: () => ask("move"), t: () => ask("tag"), "#": trash });
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
  const rows = {
    label: folderName ?? "Documents",
    items,
    total: list.total,
    facts,
    href: addressOfItem,
    isDraggable: true,
    selected,
    onSelect: select,
    hasMore: list.hasNextPage,
    isLoading: list.isFetchingNextPage,
    loadMore: list.fetchNextPage,
  };
  const empty = list.total > 0 ? <Loading /> : <Nothing place={place} go={go} />;
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
      <Rows
        {...drop}
        place={addressOf(place)}
        rows={rows}
        empty={empty}
        wait={list.items.length > 0 ? <FirstRows {...rows} /> : empty}
      />
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

/** Shows pinned documents above all documents. Waits for them to avoid a layout shift. */
function BelowPinned({ place, children }: { place: Place; children: ReactNode }) {
  const { data, isPending } = usePinned();
  if (place.folder !== undefined || isFiltered(place)) return children;
  if (isPending) return <Loading />;
  return (
    <>
      {data && data.items.length > 0 && <Pinned isAbove />}
      {children}
    </>
  );
}

/** Unsent drafts without a row: new documents, and others once the list is loaded without them. */
function unlisted({ items, isPending }: ReturnType<typeof useDocuments>, unsent: readonly Kept[]): Kept[] {
  const listed = new Set(items.map(({ id }) => id));
  return unsent.filter(({ place: { id } }) => id === "new" || !(isPending || listed.has(id)));
}

/** The documents of a place. Dropped files become documents. */
export function Shelf({ place, go, folders, uploading }: Props) {
  const here = folders.find(({ id }) => id === place.folder);
  const inside = here ? (countsIn(folders).get(here.id) ?? 0) - here.document_count : 0;
  const [, navigate] = useLocation();
  const list = useDocuments(place);
  const unsent = useUnsent();
  const { upload, run, dismiss } = uploading;
  const sendToImport = () => {
    toast({ kind: "refused", text: "To add a whole folder, use Import" });
    navigate("/settings/transfer");
  };
  if (list.error && list.items.length === 0) {
    return (
      <>
        <Unsent unsent={unsent} />
        <Failed problem={list.error} retry={list.refetch} go={go} />
      </>
    );
  }
  return (
    <div className={styles.shelf}>
      <Unsent unsent={unlisted(list, unsent)} />
      <BulkProgress />
      <Suspense>{upload && <UploadState upload={upload} onRetry={run} onDismiss={dismiss} />}</Suspense>
      {list.isPending ? (
        <Loading />
      ) : (
        <BelowPinned place={place}>
          <Listed
            place={place}
            go={go}
            folders={folders}
            list={list}
            unsent={unsent}
            drop={{ onFiles: run, onFolder: sendToImport }}
          />
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
          {inside > 0 && ` here, ${numberOf(inside)} in subfolders`}
        </p>
      )}
    </div>
  );
}
