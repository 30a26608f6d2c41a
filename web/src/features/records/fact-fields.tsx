import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { Link } from "wouter";
import { dayOfPhrase } from "../../kit/date-phrase.ts";
import { fullDay, relativeDay, shortDay } from "../../kit/dates.ts";
import { X } from "../../kit/icons.tsx";
import { whyNoDay } from "../../kit/no-day.ts";
import { useToday } from "../../kit/time.tsx";
import { projectPath } from "../things/project-path.ts";
import { projectsOf, useSummary } from "../things/summary.ts";
import styles from "./record.module.css";

const onEnter = (act: () => void, back: () => void) => (event: KeyboardEvent) => {
  if (event.key === "Enter" && !event.nativeEvent.isComposing) act();
  if (event.key === "Escape") back();
};

type DueProps = { day: string | null; onChange: (day: string | null) => void };

/** A due date, typed as people say it. How it was understood is shown below the field. */
export function DueField({ day, onChange }: DueProps) {
  const today = useToday();
  const id = useId();
  const shown = day ? shortDay(day, today) : "";
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  const typed = text.trim();
  const understood = typed === shown ? day : (dayOfPhrase(typed, today) ?? null);
  const isUnknown = typed !== "" && understood === null;
  const save = () => {
    if (!isUnknown && understood !== day) onChange(understood);
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id}>Due</label>
      <input
        id={id}
        value={text}
        placeholder="fri, in 2 weeks, 3.12."
        aria-describedby={`${id}-said`}
        aria-invalid={isUnknown}
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
        onBlur={save}
        onKeyDown={onEnter(save, () => setText(shown))}
      />
      <p id={`${id}-said`} role="status" className={styles.quiet}>
        {understood && `${fullDay(understood)}, ${relativeDay(understood, today)}`}
        {isUnknown && whyNoDay(typed, today)}
      </p>
    </div>
  );
}

type ProjectProps = { project: string | null; onChange: (project: string | null) => void };

export function ProjectField({ project, onChange }: ProjectProps) {
  const id = useId();
  const projects = projectsOf(useSummary().data);
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
        onKeyDown={onEnter(save, () => setText(project ?? ""))}
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
                <X aria-hidden="true" />
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
        onKeyDown={onEnter(add, () => setText(""))}
      />
    </div>
  );
}
