import type { ReactNode } from "react";
import { Link } from "wouter";
import { textChangedAt, wasFiledAfterLastEdit } from "../../api/document-times.ts";
import type { Document } from "../../api/documents.ts";
import { Button } from "../../kit/button.tsx";
import { dueText } from "../../kit/dates.ts";
import { FolderInput } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { Moment, useToday } from "../../kit/time.tsx";
import { FolderPicker } from "../folders/folder-picker.tsx";
import { folderPathName, useFolders } from "../folders/folders.ts";
import { TagField } from "../tags/tag-field.tsx";
import { moveDocuments, tagDocuments, untagDocuments } from "../things/document-actions.ts";
import { useDocumentRecords } from "./commitments/document-records.ts";
import { LINKED_FROM, useBacklinkCount } from "./linked/linked-from.tsx";
import styles from "./side.module.css";
import { PROGRAM_NAMES, useWriter } from "./writer.tsx";

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.part}>
    <h2>{title}</h2>
    {children}
  </section>
);

const MAX_LISTED = 20;

function Records({ id }: { id: string }) {
  const { data } = useDocumentRecords(id);
  const today = useToday();
  if (!data || data.items.length === 0) return null;
  return (
    <Part title="Records">
      <ul className={styles.records}>
        {data.items.slice(0, MAX_LISTED).map(({ id: number, topic, memory_type, status, due_date }) => (
          <li key={number} data-closed={status === "resolved" || status === "archived" || undefined}>
            <Link href={`/records/${number}`}>{topic}</Link>
            <span>
              {memory_type}
              {status === "active" ? due_date && `, ${dueText(due_date, today)}` : `, ${status}`}
            </span>
          </li>
        ))}
      </ul>
      {data.total > MAX_LISTED && <p className={styles.quiet}>and {data.total - MAX_LISTED} more</p>}
    </Part>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Facts = ({ document, onVersions }: { document: Document; onVersions: () => void }) => {
  const { created_at, updated_at, version, source_type } = document;
  const writer = useWriter(document);
  const backlinks = useBacklinkCount(document.id);
  const byWriter = writer && `, by ${writer}`;
  const wasFiled = wasFiledAfterLastEdit(document);
  // The name of a program is stored only in the first version.
  const isKindEnough = source_type !== "api" && source_type !== "mcp";
  const creator = version === 1 ? writer : isKindEnough && PROGRAM_NAMES[source_type];
  return (
    <Part title="Facts">
      <dl className={styles.facts}>
        <Fact name="Changed">
          <Moment at={textChangedAt(document)} />
          {!wasFiled && byWriter}
        </Fact>
        {wasFiled && (
          <Fact name="Moved or tagged">
            <Moment at={updated_at} />
            {byWriter}
          </Fact>
        )}
        <Fact name="Created">
          <Moment at={created_at} />
          {creator && `, by ${creator}`}
        </Fact>
        {backlinks > 0 && (
          <Fact name="Linked">
            <a href={`#${LINKED_FROM}`}>
              from {backlinks} {backlinks === 1 ? "document" : "documents"}
            </a>
          </Fact>
        )}
        <Fact name="Version">
          {version}
          {version > 1 && (
            <>
              {" "}
              <Button kind="quiet" onPress={onVersions}>
                Show versions <Key>v</Key>
              </Button>
            </>
          )}
        </Fact>
      </dl>
    </Part>
  );
};

type Props = {
  document: Document;
  isMoving: boolean;
  setMoving: (moving: boolean) => void;
  onVersions: () => void;
};

/** A document's folder, tags, records and facts. */
export function DocumentSidebar({ document, isMoving, setMoving, onVersions }: Props) {
  const { data: folders = [] } = useFolders();
  const move = (id: string | null, name: string) => moveDocuments([document], { id, name });
  return (
    <div className={styles.side}>
      <Part title="Folder">
        <div>
          <Button onPress={() => setMoving(true)}>
            <FolderInput aria-hidden="true" size="1rem" />
            {folderPathName(folders, document.folder_id) || "No folder"} <Key>m</Key>
          </Button>
        </div>
      </Part>
      <Part title="Tags">
        <TagField
          tags={document.tags}
          onAdd={(tag) => void tagDocuments([document], tag)}
          onRemove={(tag) => void untagDocuments([document], tag)}
        />
      </Part>
      <Records id={document.id} />
      <Facts document={document} onVersions={onVersions} />
      <FolderPicker
        title="Move to"
        isOpen={isMoving}
        onClose={() => setMoving(false)}
        onPick={move}
        allows={(id) => id !== document.folder_id}
      />
    </div>
  );
}
