import { createContext, type ReactNode, useContext } from "react";
import { Link } from "wouter";
import type { Memory } from "../../../api/memories.ts";
import { dueText } from "../../../kit/dates.ts";
import { useToday } from "../../../kit/time.tsx";
import styles from "./commitments.module.css";

export type LinkedRecord = Pick<Memory, "id" | "status" | "due_date">;

/** The records of the document, whose status is shown after links to them. */
export const LinkedRecordsContext = createContext<readonly LinkedRecord[]>([]);

const STATUS_LABELS = { resolved: "done", archived: "archived", deferred: "deferred" } as const;

function statusLabel({ status, due_date }: LinkedRecord, today: string): string {
  if (status !== "active") return STATUS_LABELS[status];
  return due_date ? dueText(due_date, today) : "open";
}

type Props = { href: string; number: number; children: ReactNode };

/** A link to a record, followed by its status. */
export function RecordLink({ href, number, children }: Props) {
  const today = useToday();
  const record = useContext(LinkedRecordsContext).find(({ id }) => id === number);
  const isLate = record?.status === "active" && record.due_date !== null && record.due_date < today;
  return (
    <>
      <Link href={href} className={styles.link}>
        {children}
      </Link>
      {record && (
        <>
          {" "}
          <span className={styles.state} data-apart data-late={isLate || undefined}>
            {statusLabel(record, today)}
          </span>
        </>
      )}
    </>
  );
}
