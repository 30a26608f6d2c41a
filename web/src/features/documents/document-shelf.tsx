import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { DocumentListItem } from "../../api/documents.ts";
import type { Folder } from "../../api/folders.ts";
import { type Action, actionKeys } from "../../kit/actions.ts";
import { lazyComponent } from "../../kit/lazy-component.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Loading } from "../../kit/states.tsx";
import { formatCount } from "../../kit/text.ts";
import { titleText } from "../../kit/title-text.ts";
import type { StoredDraft } from "../../state/document-drafts.ts";
import { nextPaint } from "../../state/next-paint.ts";
import { toast } from "../../state/toasts.ts";
import { totalDocumentCounts } from "../folders/folders.ts";
import { DOCUMENT_ACTIONS } from "../things/document-action-info.ts";
import { usePinned } from "../things/pinned.ts";
import { readAllDocuments, useDocuments } from "./data.ts";
import styles from "./documents.module.css";
import { DocumentsError } from "./documents-error.tsx";
import { Filters } from "./filters.tsx";
import { FirstRows } from "./first-rows.tsx";
import { focusedRowId, moveRowFocus } from "./focused-row.ts";
import Pinned from "./pinned.tsx";
import { useRowFacts } from "./row-facts.tsx";
import { useSelection } from "./selection.ts";
import { UnsentDrafts, useUnsentDrafts, withUnsentDrafts } from "./unsent.tsx";
import type { useUpload } from "./upload.ts";
import { type DocumentsView, documentsUrl, isFiltered } from "./view.ts";

const BulkBar = lazy(() => import("./bulk-bar.tsx"));
const BulkTags = lazy(() => import("./bulk-tags.tsx"));
const FolderPicker = lazy(() =>
  import("../folders/folder-picker.tsx").then(({ FolderPicker: picker }) => ({ default: picker })),
);
const NoDocuments = lazy(() => import("./no-documents.tsx"));
const UploadState = lazy(() => import("./upload-state.tsx"));

/** The full list: half a second of a phone's processor time, so it is loaded after the first rows are painted. */
const Rows = lazyComponent(async () => {
  await nextPaint();
  return import("./full-list.tsx");
});
// Starts loading while the documents are requested.
Rows.preload().catch(() => undefined);

const itemUrl = ({ id }: DocumentListItem) => `/documents/${id}`;

type Props = {
  place: DocumentsView;
  go: (place: DocumentsView) => void;
  folders: Folder[];
  uploading: ReturnType<typeof useUpload>;
};

type ListProps = Pick<Props, "place" | "go" | "folders"> & {
  list: ReturnType<typeof useDocuments>;
  unsent: readonly StoredDraft[];
  drop: { onFiles: (files: File[]) => void; onFolder: () => void };
};

const documentActions = () => import("../things/document-actions.ts");

/** Keys that move into the list even if nothing has the focus. */
function useRowKeys(toggle: (id: string | undefined) => void): void {
  const hasNoFocus = () => document.activeElement === document.body;
  useShortcuts({
    j: () => moveRowFocus("ArrowDown"),
    k: () => moveRowFocus("ArrowUp"),
    ArrowDown: () => hasNoFocus() && moveRowFocus("ArrowDown"),
    ArrowUp: () => hasNoFocus() && moveRowFocus("ArrowUp"),
    x: () => (focusedRowId() ? toggle(focusedRowId()) : moveRowFocus("ArrowDown")),
  });
}

/** What a dialog asks about documents. They may leave the list while it is open. */
type Asked = { about: "move" | "tag"; documents: readonly DocumentListItem[]; name: string };

type BulkProps = {
  /** The selected documents; without a selection, that of a row. */
  documentsAt: (row: string | undefined) => readonly DocumentListItem[];
  clear: () => void;
  onAsk: (asked: Asked) => void;
};

/** Their keys also act on the row that has the focus. */
function useBulkActions({ documentsAt, clear, onAsk }: BulkProps): Action[] {
  const ask = (about: Asked["about"]) => {
    const documents = documentsAt(focusedRowId());
    const [first, ...more] = documents;
    if (!first) return;
    const name =
      more.length > 0 ? `${formatCount(documents.length)} selected` : `“${titleText(first.title)}”`;
    onAsk({ about, documents, name });
  };
  const trash = async () => {
    const documents = documentsAt(focusedRowId());
    if (documents.length === 0) return;
    clear();
    (await documentActions()).trashDocuments(documents);
  };
  const actions: Action[] = [
    { ...DOCUMENT_ACTIONS.move, name: "Move", run: () => ask("move") },
    { ...DOCUMENT_ACTIONS.tag, name: "Tags", run: () => ask("tag") },
    { ...DOCUMENT_ACTIONS.trash, name: "Trash", isDangerous: false, run: () => void trash() },
  ];
  useShortcuts(actionKeys(actions));
  return actions;
}

function SelectableList({ place, go, folders, list, unsent, drop }: ListProps) {
  const { selected, chosen, select, toggle, selectEverything, clear } = useSelection(list.items);
  const facts = useRowFacts(place, folders);
  const items = useMemo(() => withUnsentDrafts(list.items, unsent), [list.items, unsent]);
  const [asked, setAsked] = useState<Asked>();
  const documentsAt = (row: string | undefined) =>
    chosen.length > 0 ? chosen : list.items.filter(({ id }) => id === row);
  const folderName = folders.find(({ id }) => id === place.folder)?.name;
  const actions = useBulkActions({ documentsAt, clear, onAsk: setAsked });
  useRowKeys(toggle);
  const move = async (id: string | null, name: string) => {
    clear();
    (await documentActions()).moveDocuments(asked?.documents ?? [], { id, name });
  };
  const filters = (list.total > 0 || isFiltered(place)) && (
    <Filters place={place} folderName={folderName} onChange={(part) => go({ ...place, ...part })} />
  );
  const isMore = chosen.length >= list.items.length && chosen.length < list.total;
  const everything = {
    total: list.total,
    read: async (onRead: (count: number) => void) =>
      selectEverything(await readAllDocuments(place, list.total, onRead)),
  };
  const rows = {
    label: folderName ?? "Documents",
    items,
    total: list.total,
    facts,
    href: itemUrl,
    isDraggable: true,
    selected,
    onSelect: select,
    hasMore: list.hasNextPage,
    isLoading: list.isFetchingNextPage,
    loadMore: list.fetchNextPage,
  };
  const empty = (
    <Suspense fallback={<Loading />}>
      {list.total > 0 ? <Loading /> : <NoDocuments {...{ place, folders, go }} />}
    </Suspense>
  );
  return (
    <>
      {chosen.length > 0 ? (
        <Suspense fallback={filters}>
          <BulkBar
            count={chosen.length}
            onClear={clear}
            everything={isMore ? everything : undefined}
            actions={actions}
          />
        </Suspense>
      ) : (
        filters
      )}
      <Rows
        {...drop}
        place={documentsUrl(place)}
        rows={rows}
        empty={empty}
        wait={list.items.length > 0 ? <FirstRows {...rows} /> : empty}
      />
      <Suspense>
        {asked?.about === "move" && (
          <FolderPicker
            title={`Move ${asked.name} to`}
            isOpen
            onClose={() => setAsked(undefined)}
            onPick={move}
          />
        )}
        {asked?.about === "tag" && <BulkTags {...asked} onClose={() => setAsked(undefined)} />}
      </Suspense>
    </>
  );
}

/** Shows pinned documents above all documents. Waits for them to avoid a layout shift. */
function WithPinned({ place, children }: { place: DocumentsView; children: ReactNode }) {
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
function draftsWithoutRow(
  { items, isPending }: ReturnType<typeof useDocuments>,
  unsent: readonly StoredDraft[],
): StoredDraft[] {
  const listed = new Set(items.map(({ id }) => id));
  return unsent.filter(({ place: { id } }) => id === "new" || !(isPending || listed.has(id)));
}

/** The documents of a place. Dropped files become documents. */
export function DocumentShelf({ place, go, folders, uploading }: Props) {
  const here = folders.find(({ id }) => id === place.folder);
  const inside = here ? (totalDocumentCounts(folders).get(here.id) ?? 0) - here.document_count : 0;
  const [, navigate] = useLocation();
  const list = useDocuments(place);
  const unsent = useUnsentDrafts();
  const { upload, run, dismiss } = uploading;
  const sendToImport = () => {
    toast({ kind: "refused", text: "To add a whole folder, use Import" });
    navigate("/settings/transfer");
  };
  if (list.error && list.items.length === 0) {
    return (
      <>
        <UnsentDrafts unsent={unsent} />
        <DocumentsError problem={list.error} retry={list.refetch} go={go} />
      </>
    );
  }
  return (
    <div className={styles.shelf}>
      <UnsentDrafts unsent={draftsWithoutRow(list, unsent)} />
      <Suspense>{upload && <UploadState upload={upload} onRetry={run} onDismiss={dismiss} />}</Suspense>
      {list.isPending ? (
        <Loading />
      ) : (
        <WithPinned place={place}>
          <SelectableList
            place={place}
            go={go}
            folders={folders}
            list={list}
            unsent={unsent}
            drop={{ onFiles: run, onFolder: sendToImport }}
          />
        </WithPinned>
      )}
      {list.notes.map((note) => (
        <p key={note} className={styles.quiet}>
          {note}
        </p>
      ))}
      {list.total > 0 && (
        <p className={styles.quiet} role="status">
          {formatCount(list.total)} document{list.total === 1 ? "" : "s"}
          {inside > 0 && ` here, ${formatCount(inside)} in subfolders`}
        </p>
      )}
    </div>
  );
}
