import { type ReactNode, useLayoutEffect, useMemo } from "react";
import {
  Button,
  type DropItem,
  Tree,
  TreeItem,
  TreeItemContent,
  useDragAndDrop,
} from "react-aria-components";
import { exportApi } from "../../api/export.ts";
import type { Folder } from "../../api/folders.ts";
import { File, Folder as FolderIcon } from "../../kit/document-icons.ts";
import { ChevronRight, Files, Trash2 } from "../../kit/icons.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import { RowLink } from "../../kit/row-link.tsx";
import { formatCount } from "../../kit/text.ts";
import { download } from "../../state/download.ts";
import { setUnfoldedFolders, unfoldFolders, useUnfoldedFolders } from "../../state/folded.ts";
import { childFolders, folderPath, totalDocumentCounts } from "../folders/folders.ts";
import { DRAGGED_DOCUMENT } from "./dragged.ts";
import type { FolderDialogState } from "./folder-dialogs.tsx";
import styles from "./folder-tree.module.css";
import { FolderOpen, GripVertical } from "./icons.ts";
import { ALL_KEY, NO_FOLDER, TRASH_KEY } from "./view.ts";

const DRAGGED_FOLDER = "application/x-commonplace-folder";

type Props = {
  folders: Folder[];
  /** The id of a folder or of another row; undefined on other screens. */
  current: string | undefined;
  hasAll: boolean;
  href: (key: string) => string;
  onOpen: (key: string) => void;
  onAsk: (asked: FolderDialogState) => void;
  onDropDocuments: (ids: string[], onto: string) => void;
  onDropFolder: (id: string, onto: string) => void;
};

const folderActions = (folder: Folder, onAsk: Props["onAsk"]) => [
  { name: "New subfolder", run: () => onAsk({ about: "create", inside: folder.id }) },
  { name: "Rename", run: () => onAsk({ about: "rename", folder }) },
  { name: "Move to…", run: () => onAsk({ about: "move", folder }) },
  { name: "Download as ZIP", run: () => void download(exportApi.folderUrl(folder.id)) },
  { name: "Delete", isDangerous: true, run: () => onAsk({ about: "delete", folder }) },
];

type RowProps = {
  name: string;
  href: string;
  icon: ReactNode;
  /** Number of documents, including subfolders. */
  count?: number | undefined;
  /** Number of documents directly in the folder. */
  own?: number;
  /** Only folders can be dragged. */
  isFolder?: boolean;
  children?: ReactNode;
};

const Count = ({ count, own }: { count: number; own: number }) => (
  <span
    className={styles.count}
    title={own === count ? undefined : `${formatCount(own)} here, ${formatCount(count - own)} in subfolders`}
  >
    {formatCount(count)}
    <span className="visually-hidden">{count === 1 ? " document" : " documents"}</span>
  </span>
);

const RowContent = ({ name, href, icon, count, own, isFolder, children }: RowProps) => (
  <TreeItemContent>
    {({ hasChildItems, allowsDragging }) => (
      <>
        {isFolder && allowsDragging ? (
          <Button slot="drag" className={styles.drag ?? ""} aria-label={`Drag ${name}`}>
            <GripVertical aria-hidden="true" />
          </Button>
        ) : (
          <span className={styles.drag} />
        )}
        {hasChildItems ? (
          <Button slot="chevron" className={styles.chevron ?? ""}>
            <ChevronRight aria-hidden="true" />
          </Button>
        ) : (
          <span className={styles.chevron} />
        )}
        {icon}
        <RowLink href={href} className={styles.name}>
          {name}
        </RowLink>
        {count !== undefined && count > 0 && <Count count={count} own={own ?? count} />}
        {children}
      </>
    )}
  </TreeItemContent>
);

type BranchProps = Pick<Props, "folders" | "onAsk" | "current" | "href"> & {
  folder: Folder;
  counts: ReadonlyMap<string, number>;
};

const Branch = ({ folder, ...props }: BranchProps) => (
  <TreeItem id={folder.id} textValue={folder.name} className={styles.row ?? ""}>
    <RowContent
      name={folder.name}
      href={props.href(folder.id)}
      count={props.counts.get(folder.id)}
      own={folder.document_count}
      isFolder
      icon={
        props.current === folder.id ? <FolderOpen aria-hidden="true" /> : <FolderIcon aria-hidden="true" />
      }
    >
      <span className={styles.menu}>
        <ActionMenu label={`Actions for ${folder.name}`} actions={folderActions(folder, props.onAsk)} />
      </span>
    </RowContent>
    {childFolders(props.folders, folder.id).map((inner) => (
      <Branch key={inner.id} folder={inner} {...props} />
    ))}
  </TreeItem>
);

const droppedIds = async (items: DropItem[], type: string) =>
  Promise.all(
    items.flatMap((item) => (item.kind === "text" && item.types.has(type) ? [item.getText(type)] : [])),
  );

function useTreeDragAndDrop({ onDropDocuments, onDropFolder, folders }: Props) {
  return useDragAndDrop({
    getItems: (keys) =>
      folders
        .filter(({ id }) => keys.has(id))
        .map(({ id, name }) => ({ [DRAGGED_FOLDER]: id, "text/plain": name })),
    acceptedDragTypes: [DRAGGED_DOCUMENT, DRAGGED_FOLDER],
    getAllowedDropOperations: () => ["move"],
    getDropOperation: (target) =>
      target.type === "item" && target.dropPosition === "on" ? "move" : "cancel",
    onItemDrop: async ({ items, target }) => {
      const onto = String(target.key);
      const [documents, moved] = await Promise.all([
        droppedIds(items, DRAGGED_DOCUMENT),
        droppedIds(items, DRAGGED_FOLDER),
      ]);
      if (documents.length > 0) onDropDocuments(documents, onto);
      for (const id of moved) onDropFolder(id, onto);
    },
  });
}

/** The expanded folders. The ancestors of the current folder are added whenever it changes or moves. */
function useExpanded(folders: Folder[], current: string | undefined) {
  const place = [
    ...folderPath(folders, current)
      .slice(0, -1)
      .map(({ id }) => id),
    current,
  ].join(" ");
  // Before the first paint.
  useLayoutEffect(() => unfoldFolders(place.split(" ").slice(0, -1)), [place]);
  return useUnfoldedFolders();
}

/** All documents, the folders and the trash. Documents and folders can be dropped onto each row. */
export default function FolderTree(props: Props) {
  const { folders, current, hasAll, href, onOpen } = props;
  const { dragAndDropHooks } = useTreeDragAndDrop(props);
  const counts = useMemo(() => totalDocumentCounts(folders), [folders]);
  const expanded = useExpanded(folders, current);
  return (
    <Tree
      aria-label="Folders"
      className={styles.tree ?? ""}
      selectionMode="single"
      selectionBehavior="toggle"
      selectedKeys={current === undefined ? [] : [current]}
      onSelectionChange={(keys) => {
        // Pressing the selected row deselects it: treat that as a press too.
        const [key = current] = keys === "all" ? [] : keys;
        if (key !== undefined) onOpen(String(key));
      }}
      expandedKeys={expanded}
      onExpandedChange={(keys) =>
        setUnfoldedFolders(folders.map(({ id }) => id).filter((id) => keys.has(id)))
      }
      dragAndDropHooks={dragAndDropHooks}
    >
      {hasAll && (
        <TreeItem id={ALL_KEY} textValue="All documents" className={styles.row ?? ""}>
          <RowContent name="All documents" href={href(ALL_KEY)} icon={<Files aria-hidden="true" />} />
        </TreeItem>
      )}
      {folders.length > 0 && (
        <TreeItem id={NO_FOLDER} textValue="No folder" className={styles.row ?? ""}>
          <RowContent name="No folder" href={href(NO_FOLDER)} icon={<File aria-hidden="true" />} />
        </TreeItem>
      )}
      {childFolders(folders, null).map((folder) => (
        <Branch key={folder.id} folder={folder} counts={counts} {...props} />
      ))}
      <TreeItem id={TRASH_KEY} textValue="Trash" className={styles.row ?? ""}>
        <RowContent name="Trash" href={href(TRASH_KEY)} icon={<Trash2 aria-hidden="true" />} />
      </TreeItem>
    </Tree>
  );
}
