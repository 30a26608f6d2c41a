import { createContext, type ReactNode, useContext } from "react";
import { Link } from "wouter";
import type { Memory } from "../../../api/memories.ts";
import { dueWords } from "../../../kit/dates.ts";
import { useToday } from "../../../kit/time.tsx";
import styles from "./commitments.module.css";

export type Row = Pick<Memory, "id" | "status" | "due_date">;

/** The records of the document, whose status is shown after links to them. */
export const TheRecords = createContext<readonly Row[]>([]);

const STATUS_LABELS = { resolved: "done", archived: "archived", deferred: "deferred" } as const;

function statusLabel({ status, due_date }: Row, today: string): string {
  if (status !== "active") return STATUS_LABELS[status];
  return due_date ? dueWords(due_date, today) : "open";
}

type Props = { href: string; number: number; children: ReactNode };

/** A link to a record, followed by its status. */
export function RecordLink({ href, number, children }: Props) {
  const today = useToday();
  const record = useContext(TheRecords).find(({ id }) => id === number);
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
