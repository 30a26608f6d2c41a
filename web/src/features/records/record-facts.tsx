import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { Memory, MemoryChange } from "../../api/memories.ts";
import { Select } from "../../kit/choices.tsx";
import { titleText } from "../../kit/text.ts";
import { Day, Moment } from "../../kit/time.tsx";
import { readDocument } from "../../state/copies.ts";
import { OWED_NAMES, PRIORITY_NAMES, STATUS_NAMES, TYPE_NAMES } from "../things/names.ts";
import { DueField, ProjectField, TagsField } from "./fact-fields.tsx";
import { ApplyToDialog, canApplyToSeries, RemindField, RepeatField } from "./plan-fields.tsx";
import styles from "./record.module.css";
import { authorName } from "./record-events.tsx";
import { saveMemoryFields } from "./save-fields.ts";

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const DocumentLink = ({ id }: { id: string }) => {
  const { data, error } = useQuery({
    queryKey: ["documents", id],
    queryFn: (context) => readDocument(id, context),
  });
  return (
    <Link href={`/documents/${id}`}>
      {data ? titleText(data.title) : error ? "In the trash" : "Document"}
    </Link>
  );
};

const RecordLink = ({ id }: { id: number }) => <Link href={`/records/${id}`}>Record {id}</Link>;

/** The properties that cannot be edited. */
const ReadOnlyFacts = ({ memory }: { memory: Memory }) => (
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
    {memory.resolution_note && <Fact name="Resolution note">{memory.resolution_note}</Fact>}
    {memory.document_id && (
      <Fact name="From">
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
    <Fact name="Created">
      <Moment at={memory.created_at} />
    </Fact>
    <Fact name="Created by">{authorName(memory)}</Fact>
  </dl>
);

const TYPES = (Object.keys(TYPE_NAMES) as Memory["memory_type"][]).map((value) => ({
  value,
  text: TYPE_NAMES[value],
}));

const SCOPES = [
  { value: "none", text: "None" },
  { value: "work", text: "Work" },
  { value: "personal", text: "Personal" },
] as const;

const NONE = { value: "none", text: "None" } as const;

/** The options of an optional field. */
const optionalChoices = <Value extends string>(names: Record<Value, string>) => [
  NONE,
  ...(Object.keys(names) as Value[]).map((value) => ({ value, text: names[value] })),
];

const PRIORITIES = optionalChoices(PRIORITY_NAMES);
const OWED = optionalChoices(OWED_NAMES);

const orNull = <Value extends string>(value: Value | "none") => (value === "none" ? null : value);

/** The properties of a record. A change is saved as soon as it is made. */
export function RecordProperties({ memory }: { memory: Memory }) {
  const [unscoped, setUnscoped] = useState<MemoryChange>();
  const save = (fields: MemoryChange) => void saveMemoryFields(memory, fields);
  const change = (fields: MemoryChange) =>
    canApplyToSeries(memory, fields) ? setUnscoped(fields) : save(fields);
  return (
    <aside className={styles.facts} aria-label="Properties">
      <DueField memory={memory} onChange={change} />
      <RemindField memory={memory} onChange={change} />
      <RepeatField memory={memory} onChange={change} />
      <Select
        label="Type"
        value={memory.memory_type}
        options={TYPES}
        onChange={(memory_type) => change({ memory_type })}
      />
      <ProjectField project={memory.project} onChange={(project) => change({ project })} />
      <Select
        label="Scope"
        value={memory.scope ?? "none"}
        options={SCOPES}
        onChange={(scope) => change({ scope: orNull(scope) })}
      />
      <Select
        label="Priority"
        value={memory.priority ?? "none"}
        options={PRIORITIES}
        onChange={(priority) => change({ priority: orNull(priority) })}
      />
      <Select
        label="Owed"
        value={memory.owed ?? "none"}
        options={OWED}
        onChange={(owed) => change({ owed: orNull(owed) })}
      />
      <TagsField tags={memory.tags} onChange={(tags) => change({ tags })} />
      <ReadOnlyFacts memory={memory} />
      {unscoped && <ApplyToDialog change={unscoped} onChange={save} onClose={() => setUnscoped(undefined)} />}
    </aside>
  );
}
