import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Link } from "wouter";
import type { Activity } from "../../api/activity.ts";
import { isApiError } from "../../api/request.ts";
import { Button } from "../../kit/button.tsx";
import { fullInstant } from "../../kit/dates.ts";
import { Folder } from "../../kit/document-icons.ts";
import { ChevronRight, FileText, ListChecks } from "../../kit/icons.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { useTimezone } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { BeforeAfter } from "../document/before-after.tsx";
import { filingText } from "../document/what-changed.ts";
import styles from "./activity.module.css";
import { changedItemUrl, isUndoable, kindName, verbText } from "./group.ts";
import { hasVersions, useStatesQuery } from "./states.ts";

const ICONS = { document: FileText, memory: ListChecks, folder: Folder };

function Details({ change }: { change: Activity }) {
  const { data, error, refetch } = useQuery(useStatesQuery(change));
  if (isApiError(error, 404))
    return (
      <p className={styles.quiet}>
        These versions are no longer stored, because there have been many changes since.
      </p>
    );
  if (error) return <Problem problem={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const { before, after } = data;
  const fields = Object.entries(after.fields).map(([name, now]) => ({
    name,
    before: before.fields[name] ?? "",
    after: now,
  }));
  const text = { kind: after.text.kind, before: before.text.text, after: after.text.text };
  return <BeforeAfter fields={fields} text={text} isNew={change.version_before === null} />;
}

/** "14:05" in the user's time zone; the full time on hover. */
function ChangeTime({ at }: { at: string }) {
  const full = fullInstant(at, useTimezone());
  return (
    <time className={styles.clock} dateTime={at} title={full}>
      {full.slice(-5)}
    </time>
  );
}

function Title({ change }: { change: Activity }) {
  const { title, kind } = change;
  if (title === null)
    return <span className={styles.quiet}>a permanently deleted {kindName(kind).toLowerCase()}</span>;
  return (
    <Link href={changedItemUrl(change)} className={styles.title}>
      {kind === "document" ? titleText(title) : title}
    </Link>
  );
}

type Props = { change: Activity; onUndo: (change: Activity) => void };

export function ChangeRow({ change, onUndo }: Props) {
  const [isShown, setShown] = useState(false);
  const details = useId();
  const Icon = ICONS[change.kind];
  const about = change.title ?? kindName(change.kind);
  const filing = change.kind === "memory" ? "" : filingText(change.differences);
  const shownFiling = change.verb === "moved" ? filing.replace(/^Moved /, "") : filing;
  return (
    <li className={styles.change} data-undone={change.undone_by !== null || undefined}>
      <ChangeTime at={change.at} />
      <Icon className={styles.icon} />
      <span className={styles.words}>
        <span className={styles.verb}>
          {change.undoes === null ? verbText(change) : `Undone: ${verbText(change).toLowerCase()}`}
        </span>{" "}
        <Title change={change} />
        {change.undone_by !== null && <span className={styles.undone}>undone</span>}
        {filing && (
          <span className={styles.reason} dir="auto">
            {shownFiling}
          </span>
        )}
        {change.reason !== null && <span className={styles.reason}>Reason: {change.reason}</span>}
      </span>
      <span className={styles.steps}>
        {hasVersions(change) && change.title !== null && (
          <Button
            kind="quiet"
            aria-label={`Show what changed in ${about}`}
            aria-expanded={isShown}
            aria-controls={details}
            onPress={() => setShown(!isShown)}
          >
            <ChevronRight size="1rem" /> Show
          </Button>
        )}
        {isUndoable(change) && (
          <Button
            kind="quiet"
            aria-label={`Undo: ${verbText(change)} ${about}`}
            onPress={() => onUndo(change)}
          >
            Undo
          </Button>
        )}
      </span>
      <div id={details} className={styles.details} hidden={!isShown}>
        {isShown && <Details change={change} />}
      </div>
    </li>
  );
}
