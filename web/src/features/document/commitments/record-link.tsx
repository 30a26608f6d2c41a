import { createContext, type ReactNode, useContext } from "react";
import { Link } from "wouter";
import type { Memory } from "../../../api/memories.ts";
import { dueWords } from "../../../kit/dates.ts";
import { useToday } from "../../../kit/time.tsx";
import styles from "./commitments.module.css";

export type Row = Pick<Memory, "id" | "status" | "due_date">;

/** The records whose state a text shows behind what leads to them. */
export const TheRecords = createContext<readonly Row[]>([]);

const ENDED = { resolved: "done", archived: "archived", deferred: "deferred" } as const;

function stateOf({ status, due_date }: Row, today: string): string {
  if (status !== "active") return ENDED[status];
  return due_date ? dueWords(due_date, today) : "open";
}

type Props = { href: string; number: number; children: ReactNode };

/** A link to a record, and how it stands. */
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
            {stateOf(record, today)}
          </span>
        </>
      )}
    </>
  );
}
