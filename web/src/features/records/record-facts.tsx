import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { Link } from "wouter";
import type { Memory, MemoryChange } from "../../api/memories.ts";
import { Day, Moment } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { readDocument } from "../../state/copies.ts";
import { STATUS_NAMES, TYPE_NAMES } from "../things/names.ts";
import { changeFields } from "./change.ts";
import { DueField, ProjectField, TagsField } from "./fact-fields.tsx";
import styles from "./record.module.css";
import { whoOf } from "./record-events.tsx";

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

type ChoiceProps = {
  label: string;
  value: string;
  options: Readonly<Record<string, string>>;
  onChange: (value: string) => void;
};

const Choice = ({ label, value, options, onChange }: ChoiceProps) => {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {Object.entries(options).map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
};

const DocumentLink = ({ id }: { id: string }) => {
  const { data, error } = useQuery({
    queryKey: ["documents", id],
    queryFn: (asking) => readDocument(id, asking),
  });
  return (
    <Link href={`/documents/${id}`}>
      {data ? titleText(data.title) : error ? "In the trash" : "Document"}
    </Link>
  );
};

const RecordLink = ({ id }: { id: number }) => <Link href={`/records/${id}`}>Record {id}</Link>;

/** What else is known of it, and where it belongs. */
const Known = ({ memory }: { memory: Memory }) => (
  <dl className={styles.known}>
    <Fact name="Status">{STATUS_NAMES[memory.status]}</Fact>
    {memory.status === "deferred" && (
      <Fact name="Comes back">
        {memory.deferred_until ? <Day day={memory.deferred_until} /> : "When you reopen it"}
      </Fact>
    )}
    {memory.resolved_at && (
      <Fact name="Resolved">
        <Moment at={memory.resolved_at} />
      </Fact>
    )}
    {memory.resolution_note && <Fact name="What came of it">{memory.resolution_note}</Fact>}
    {memory.document_id && (
      <Fact name="Document">
        <DocumentLink id={memory.document_id} />
      </Fact>
    )}
    {memory.supersedes_id && (
      <Fact name="Replaces">
        <RecordLink id={memory.supersedes_id} />
      </Fact>
    )}
    {memory.superseded_by_id && (
      <Fact name="Replaced by">
        <RecordLink id={memory.superseded_by_id} />
      </Fact>
    )}
    {memory.last_confirmed_at && (
      <Fact name="Confirmed">
        <Moment at={memory.last_confirmed_at} />
      </Fact>
    )}
    <Fact name="Began">
      <Moment at={memory.created_at} />
    </Fact>
    <Fact name="Written by">{whoOf(memory)}</Fact>
  </dl>
);

/** The properties of a record. A change is saved as soon as it is made. */
export function Facts({ memory }: { memory: Memory }) {
  const change = (fields: MemoryChange) => void changeFields(memory, fields);
  return (
    <aside className={styles.facts} aria-label="Properties">
      <DueField day={memory.due_date} onChange={(due_date) => change({ due_date })} />
      <Choice
        label="Type"
        value={memory.memory_type}
        options={TYPE_NAMES}
        onChange={(memory_type) => change({ memory_type: memory_type as Memory["memory_type"] })}
      />
      <ProjectField project={memory.project} onChange={(project) => change({ project })} />
      <Choice
        label="Scope"
        value={memory.scope ?? ""}
        options={{ "": "None", work: "Work", personal: "Personal" }}
        onChange={(scope) => change({ scope: (scope || null) as Memory["scope"] })}
      />
      <TagsField tags={memory.tags} onChange={(tags) => change({ tags })} />
      <Known memory={memory} />
    </aside>
  );
}
