import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { UNUSED_DAYS } from "../../../../src/contract/file-limits.ts";
import { pathOf } from "../../../../src/contract/paths.ts";
import type { StoredFile } from "../../api/files.ts";
import { Day } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { readDocument } from "../../state/copies.ts";
import { readRecord } from "../../state/reading-records.ts";
import styles from "./viewer.module.css";

/** Linked documents and records, of each kind; more are counted. */
const NAMED = 5;
const DAY_MS = 86_400_000;

const dayAfter = (instant: string) =>
  new Date(Date.parse(instant) + UNUSED_DAYS * DAY_MS).toISOString().slice(0, 10);

type To = { onOpen?: () => void };

function DocumentLink({ id, onOpen }: To & { id: string }) {
  const { data } = useQuery({
    queryKey: ["documents", id],
    queryFn: (asking) => readDocument(id, asking),
    retry: false,
  });
  return (
    <Link href={pathOf("document", id)} {...(onOpen && { onClick: onOpen })}>
      {data ? titleText(data.title) : "A document"}
    </Link>
  );
}

function RecordLink({ id, onOpen }: To & { id: number }) {
  const { data } = useQuery({
    queryKey: ["memories", "record", id],
    queryFn: (asking) => readRecord(id, asking),
    retry: false,
  });
  return (
    <Link href={pathOf("record", id)} {...(onOpen && { onClick: onOpen })}>
      {data ? data.topic : `Record ${id}`}
    </Link>
  );
}

/** The documents and records that use a file, or when it will be deleted if there are none. */
export function Used({ file, onOpen }: To & { file: StoredFile }) {
  const { document_ids: documents, memory_ids: records, unused_since, trashed_at } = file;
  if (trashed_at)
    return (
      <p className={styles.used}>
        In the trash, permanently deleted <Day day={dayAfter(trashed_at)} />
      </p>
    );
  const more = documents.length + records.length - 2 * NAMED;
  if (documents.length + records.length === 0)
    return (
      <p className={styles.used}>
        {unused_since ? (
          <>
            Not used, kept until <Day day={dayAfter(unused_since)} />
          </>
        ) : (
          "Not used"
        )}
      </p>
    );
  return (
    <p className={styles.used}>
      In{" "}
      {documents.slice(0, NAMED).map((id) => (
        <span key={id}>
          <DocumentLink id={id} {...(onOpen && { onOpen })} />
        </span>
      ))}
      {records.slice(0, NAMED).map((id) => (
        <span key={id}>
          <RecordLink id={id} {...(onOpen && { onOpen })} />
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </p>
  );
}
