import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { Link } from "wouter";
import { readDay } from "../../../../src/shared/when/day.ts";
import { dayProblem } from "../../../../src/shared/when/day-problem.ts";
import type { Memory, MemoryChange } from "../../api/memories.ts";
import { fullDay, relativeDay, shortDay } from "../../kit/dates.ts";
import { X } from "../../kit/icons.tsx";
import { useToday } from "../../kit/time.tsx";
import { projectPath } from "../things/project-path.ts";
import { projectNames, useSummary } from "../things/summary.ts";
import plan from "./plan.module.css";
import styles from "./record.module.css";
import { hasNextOccurrence } from "./step-actions.ts";
import { TimeField } from "./time-field.tsx";

const saveOrRevert = (save: () => void, revert: () => void) => (event: KeyboardEvent) => {
  if (event.key === "Enter" && !event.nativeEvent.isComposing) save();
  if (event.key === "Escape") revert();
};

type DueProps = {
  memory: Pick<Memory, "due_date" | "due_time" | "repeat" | "status">;
  onChange: (change: Pick<MemoryChange, "due_date" | "due_time">) => void;
};

/** A due date, typed in words, and its time. The date that was recognized is shown below the field. */
export function DueField({ memory: { due_date: day, due_time, repeat, status }, onChange }: DueProps) {
  const today = useToday();
  const id = useId();
  const shown = day ? shortDay(day, today) : "";
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  const typed = text.trim();
  const understood = typed === shown ? day : (readDay(typed, today) ?? null);
  const isUnknown = typed !== "" && understood === null;
  const isMissing = repeat !== null && typed === "";
  const save = () => {
    if (!isUnknown && !isMissing && understood !== day) onChange({ due_date: understood });
  };
  const onBlur = () => (isMissing ? setText(shown) : save());
  return (
    <div className={styles.field}>
      <label htmlFor={id}>Due</label>
      <div className={plan.due}>
        <input
          id={id}
          value={text}
          placeholder="fri, in 2 weeks, 3.12."
          aria-describedby={`${id}-hint`}
          aria-invalid={isUnknown || isMissing}
          autoComplete="off"
          onChange={({ target }) => setText(target.value)}
          onBlur={onBlur}
          onKeyDown={saveOrRevert(save, () => setText(shown))}
        />
        {day && <TimeField time={due_time} onChange={(next) => onChange({ due_time: next })} />}
      </div>
      <p id={`${id}-hint`} role="status" className={styles.quiet}>
        {understood && `${fullDay(understood)}, ${relativeDay(understood, today)}`}
        {isUnknown && dayProblem(typed, today)}
        {isMissing && "A repeating record needs a due date. To stop it, choose “Once” under Repeats."}
        {hasNextOccurrence({ repeat, status }) && understood && ". A new date applies to this one only."}
      </p>
    </div>
  );
}

type ProjectProps = { project: string | null; onChange: (project: string | null) => void };

export function ProjectField({ project, onChange }: ProjectProps) {
  const id = useId();
  const projects = projectNames(useSummary().data);
  const [text, setText] = useState(project ?? "");
  useEffect(() => setText(project ?? ""), [project]);
  const save = () => {
    const name = text.trim() || null;
    if (name !== project) onChange(name);
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id}>Project</label>
      {project && (
        <Link href={projectPath(project)} aria-label={`Show the project ${project}`}>
          Show the project
        </Link>
      )}
      <input
        id={id}
        list={`${id}-known`}
        value={text}
        maxLength={200}
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
        onBlur={save}
        onKeyDown={saveOrRevert(save, () => setText(project ?? ""))}
      />
      <datalist id={`${id}-known`}>
        {projects.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}

type TagsProps = { tags: readonly string[]; onChange: (tags: string[]) => void };

export function TagsField({ tags, onChange }: TagsProps) {
  const id = useId();
  const [text, setText] = useState("");
  const add = () => {
    const added = text.split(",").map((tag) => tag.trim().replace(/^#/, ""));
    const all = [...new Set([...tags, ...added.filter(Boolean)])];
    setText("");
    if (all.length > tags.length) onChange(all);
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id}>Tags</label>
      {tags.length > 0 && (
        <ul className={styles.tags}>
          {tags.map((tag) => (
            <li key={tag}>
              <Link href={`/records?status=all&tag=${encodeURIComponent(tag)}`}>#{tag}</Link>
              <button
                type="button"
                aria-label={`Remove the tag ${tag}`}
                onClick={() => onChange(tags.filter((one) => one !== tag))}
              >
                <X />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        id={id}
        value={text}
        placeholder="Add a tag"
        maxLength={64}
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
        onBlur={add}
        onKeyDown={saveOrRevert(add, () => setText(""))}
      />
    </div>
  );
}
