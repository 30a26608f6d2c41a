import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { UNUSED_FILE_DAYS } from "../../../../src/contract/file-limits.ts";
import { screenPath } from "../../../../src/contract/paths.ts";
import type { StoredFile } from "../../api/files.ts";
import { Day } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { readDocument } from "../../state/copies.ts";
import { documentKey } from "../../state/queries.ts";
import { readRecord } from "../../state/read-records.ts";
import styles from "./viewer.module.css";

/** Linked documents and records, of each kind; more are counted. */
const MAX_LINKS = 5;
const DAY_MS = 86_400_000;

const expiryDay = (instant: string) =>
  new Date(Date.parse(instant) + UNUSED_FILE_DAYS * DAY_MS).toISOString().slice(0, 10);

type LinkProps = { onOpen?: () => void };

function DocumentLink({ id, onOpen }: LinkProps & { id: string }) {
  const { data } = useQuery({
    queryKey: documentKey(id),
    queryFn: (asking) => readDocument(id, asking),
    retry: false,
  });
  return (
    <Link href={screenPath("document", id)} {...(onOpen && { onClick: onOpen })}>
      {data ? titleText(data.title) : "A document"}
    </Link>
  );
}

function RecordLink({ id, onOpen }: LinkProps & { id: number }) {
  const { data } = useQuery({
    queryKey: ["memories", "record", id],
    queryFn: (asking) => readRecord(id, asking),
    retry: false,
  });
  return (
    <Link href={screenPath("record", id)} {...(onOpen && { onClick: onOpen })}>
      {data ? data.topic : `Record ${id}`}
    </Link>
  );
}

/** The documents and records that use a file, or when it will be deleted if there are none. */
export function FileUsage({ file, onOpen }: LinkProps & { file: StoredFile }) {
  const { document_ids: documents, memory_ids: records, unused_since, trashed_at } = file;
  if (trashed_at)
    return (
      <p className={styles.used}>
        In the trash, permanently deleted <Day day={expiryDay(trashed_at)} />
      </p>
    );
  const more = documents.length + records.length - 2 * MAX_LINKS;
  if (documents.length + records.length === 0)
    return (
      <p className={styles.used}>
        {unused_since ? (
          <>
            Not used, kept until <Day day={expiryDay(unused_since)} />
          </>
        ) : (
          "Not used"
        )}
      </p>
    );
  return (
    <p className={styles.used}>
      In{" "}
      {documents.slice(0, MAX_LINKS).map((id) => (
        <span key={id}>
          <DocumentLink id={id} {...(onOpen && { onOpen })} />
        </span>
      ))}
      {records.slice(0, MAX_LINKS).map((id) => (
        <span key={id}>
          <RecordLink id={id} {...(onOpen && { onOpen })} />
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </p>
  );
}
