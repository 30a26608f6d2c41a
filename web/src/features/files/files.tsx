import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useSearch } from "wouter";
import type { StoredFile } from "../../api/files.ts";
import { Button } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Download, RotateCcw, Trash2 } from "../../kit/icons.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import { BACK_TO_SETTINGS, Screen } from "../../kit/screen.tsx";
import { Segments } from "../../kit/segments.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { formatCount } from "../../kit/text.ts";
import { Moment } from "../../kit/time.tsx";
import { addFiles } from "./add.ts";
import { AddFilesButtons, FileDropArea } from "./attached-files.tsx";
import { eraseFiles, restoreFiles, saveFiles } from "./file-actions.ts";
import { fileFacts, safeFileName } from "./file-facts.ts";
import { useFileMenu } from "./file-menu.tsx";
import { listFiles, useFilesUnavailableReason } from "./file-queries.ts";
import { FileUsage } from "./file-usage.tsx";
import styles from "./files.module.css";
import { type FilesView, KIND_FILTERS, type Layout, useFilesView } from "./files-view.ts";
import { FileThumbnail, FileTile, FileTiles } from "./tile.tsx";
import { openViewer } from "./viewer-state.ts";

const PAGE = 60;

const LAYOUTS: Record<Layout, string> = { tiles: "Gallery", list: "List" };

function useAllFiles({ kind, isTrash }: FilesView) {
  const query = { ...(kind !== "all" && { kind }), ...(isTrash && { trashed: true as const }) };
  const list = useInfiniteQuery({
    queryKey: ["files", "all", query],
    queryFn: ({ pageParam, signal }) =>
      listFiles({ ...query, limit: PAGE, ...(pageParam !== "" && { cursor: pageParam }) }, signal),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return { ...list, items, total: list.data?.pages[0]?.total ?? 0 };
}

const NoFiles = ({ place: { kind, isTrash } }: { place: FilesView }) => {
  if (isTrash)
    return (
      <Empty title="No files in the trash">
        <p>Deleted files stay here for 30 days and can be restored until then.</p>
      </Empty>
    );
  if (kind !== "all") return <Empty title={`No ${KIND_FILTERS[kind].toLowerCase()} here`} />;
  return (
    <Empty title="No files yet">
      <p>
        Drop files here, or paste them into a document: pictures are shown in the text, other files are
        linked. Files that belong to no document or record are deleted after 30 days.
      </p>
      <AddFilesButtons to={{}} kind="primary" />
    </Empty>
  );
};

const BulkActions = ({ place, items }: { place: FilesView; items: readonly StoredFile[] }) =>
  place.isTrash ? (
    <>
      <Button kind="quiet" onPress={() => void restoreFiles(items)}>
        <RotateCcw aria-hidden="true" size="1rem" /> Restore all
      </Button>
      <ConfirmButton
        title="Permanently delete these files?"
        text="They will also disappear from all texts that show them. This can’t be undone."
        verb="Delete permanently"
        act={() => eraseFiles(items)}
      >
        <Trash2 aria-hidden="true" size="1rem" /> Delete all permanently
      </ConfirmButton>
    </>
  ) : (
    <Button kind="quiet" onPress={() => void saveFiles(items)}>
      <Download aria-hidden="true" size="1rem" /> Download all
    </Button>
  );

/** Opens the viewer for `?open=<id>`, at `&page=` of a PDF. */
function useOpenFromUrl(): void {
  const query = new URLSearchParams(useSearch());
  const [open, page] = [query.get("open"), Number(query.get("page"))];
  useEffect(() => {
    if (open) openViewer(open, [], page || undefined);
  }, [open, page]);
}

function FileRow({ file, among }: { file: StoredFile; among: readonly StoredFile[] }) {
  const { actions, dialog } = useFileMenu(file);
  const name = safeFileName(file.name);
  return (
    <li className={styles.row}>
      <span className={styles.sign}>
        <FileThumbnail file={file} />
      </span>
      <div>
        <button type="button" className={styles.name} title={name} onClick={() => openViewer(file.id, among)}>
          <bdi>{name}</bdi>
        </button>
        <div className={styles.facts}>
          {fileFacts(file).join(" · ")} · <FileUsage file={file} />
        </div>
      </div>
      <span className={styles.when}>
        <Moment at={file.created_at} />
      </span>
      <ActionMenu label={`Actions for ${name}`} actions={actions} />
      {dialog}
    </li>
  );
}

const FileItems = ({ look, items }: { look: Layout; items: readonly StoredFile[] }) =>
  look === "tiles" ? (
    <FileTiles>
      {items.map((file) => (
        <FileTile key={file.id} file={file} among={items}>
          <FileUsage file={file} />
        </FileTile>
      ))}
    </FileTiles>
  ) : (
    <ul className={styles.rows} aria-label="Files">
      {items.map((file) => (
        <FileRow key={file.id} file={file} among={items} />
      ))}
    </ul>
  );

const fileCountText = (total: number) => `${formatCount(total)} file${total === 1 ? "" : "s"}`;

type BarProps = { place: FilesView; items: readonly StoredFile[]; go: (next: Partial<FilesView>) => void };

const Bar = ({ place, items, go }: BarProps) => (
  <>
    <Segments label="Kind" value={place.kind} options={KIND_FILTERS} onChange={(kind) => go({ kind })} />
    <div className={styles.bar}>
      <Segments label="Layout" value={place.look} options={LAYOUTS} onChange={(look) => go({ look })} />
      <div className={styles.ways}>
        {items.length > 0 && <BulkActions place={place} items={items} />}
        <Button kind="quiet" onPress={() => go({ isTrash: !place.isTrash, kind: "all" })}>
          {!place.isTrash && <Trash2 aria-hidden="true" size="1rem" />}
          {place.isTrash ? "All files" : "Trash"}
        </Button>
      </div>
    </div>
  </>
);

type ListProps = { list: ReturnType<typeof useAllFiles>; place: FilesView };

const List = ({ list, place }: ListProps) => {
  const { items, total, data, error, refetch } = list;
  if (!data) return error ? <Problem problem={error} retry={() => void refetch()} /> : <Loading />;
  if (items.length === 0) return <NoFiles place={place} />;
  return (
    <>
      <FileItems look={place.look} items={items} />
      {list.hasNextPage && (
        <div>
          <Button onPress={() => void list.fetchNextPage()} isDisabled={list.isFetching}>
            {list.isFetching ? "Loading…" : `Show more of ${fileCountText(total)}`}
          </Button>
        </div>
      )}
    </>
  );
};

export default function FilesScreen() {
  const { go, ...place } = useFilesView();
  const list = useAllFiles(place);
  const why = useFilesUnavailableReason();
  useOpenFromUrl();
  if (why !== undefined)
    return (
      <Screen title="Files" back={BACK_TO_SETTINGS}>
        <Empty title="Files aren’t available">
          <p>{why}</p>
        </Empty>
      </Screen>
    );
  return (
    <Screen
      title={place.isTrash ? "Files in the trash" : "Files"}
      back={BACK_TO_SETTINGS}
      lead={list.total > 0 ? fileCountText(list.total) : undefined}
      actions={!place.isTrash && <AddFilesButtons to={{}} kind="primary" />}
    >
      <FileDropArea onFiles={(files) => void addFiles(files, { to: {} })}>
        <div className={styles.files}>
          <Bar place={place} items={list.items} go={go} />
          <List list={list} place={place} />
        </div>
      </FileDropArea>
    </Screen>
  );
}
