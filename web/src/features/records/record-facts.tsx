import { useQuery } from "@tanstack/react-query";
import { type ComponentType, type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { Memory, MemoryChange } from "../../api/memories.ts";
import { Select } from "../../kit/choices.tsx";
import { Day, Moment } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { readDocument } from "../../state/copies.ts";
import { documentKey } from "../../state/queries.ts";
import { STATUS_NAMES } from "../things/names.ts";
import { DueField, ProjectField, TagsField } from "./fact-fields.tsx";
import { ApplyToDialog, canApplyToSeries, RemindField, RepeatField } from "./plan-fields.tsx";
import styles from "./record.module.css";
import { authorName } from "./record-events.tsx";
import { type RecordField, type RecordFieldName, recordFields } from "./record-fields.ts";
import { saveMemoryFields } from "./save-fields.ts";

const DocumentLink = ({ id }: { id: string }) => {
  const { data, error } = useQuery({
    queryKey: documentKey(id),
    queryFn: (context) => readDocument(id, context),
  });
  return (
    <Link href={`/documents/${id}`}>
      {data ? titleText(data.title) : error ? "In the trash" : "Document"}
    </Link>
  );
};

const RecordLink = ({ id }: { id: number }) => <Link href={`/records/${id}`}>Record {id}</Link>;

function ReadOnlyFacts({ memory }: { memory: Memory }) {
  const { status, deferred_until, resolved_at, document_id, supersedes_id, superseded_by_id } = memory;
  const facts: Record<string, ReactNode> = {
    Status: STATUS_NAMES[status],
    "Comes back":
      status === "deferred" && (deferred_until ? <Day day={deferred_until} /> : "When you reopen it"),
    Resolved: resolved_at && <Moment at={resolved_at} />,
    "Resolution note": memory.resolution_note,
    From: document_id && <DocumentLink id={document_id} />,
    Replaces: supersedes_id && <RecordLink id={supersedes_id} />,
    "Replaced by": superseded_by_id && <RecordLink id={superseded_by_id} />,
    Confirmed: memory.last_confirmed_at && <Moment at={memory.last_confirmed_at} />,
    Created: <Moment at={memory.created_at} />,
    "Created by": authorName(memory),
  };
  return (
    <dl className={styles.known}>
      {Object.entries(facts).map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

type ControlProps = {
  memory: Memory;
  name: RecordFieldName;
  field: RecordField;
  onChange: (change: MemoryChange) => void;
};

const NONE = { value: "none", text: "None" };

const Choice = ({ memory, name, field: { label, names = {}, control }, onChange }: ControlProps) => (
  <Select
    label={label}
    value={String(memory[name] ?? NONE.value)}
    options={[
      ...(control === "required choice" ? [] : [NONE]),
      ...Object.entries(names).map(([value, text]) => ({ value, text })),
    ]}
    onChange={(value) => onChange({ [name]: value === NONE.value ? null : value })}
  />
);

const CONTROLS: Record<NonNullable<RecordField["control"]>, ComponentType<ControlProps>> = {
  choice: Choice,
  "required choice": Choice,
  due: DueField,
  reminders: RemindField,
  repetition: RepeatField,
  project: ({ memory, onChange }) => (
    <ProjectField project={memory.project} onChange={(project) => onChange({ project })} />
  ),
  tags: ({ memory, onChange }) => <TagsField tags={memory.tags} onChange={(tags) => onChange({ tags })} />,
};

const PROPERTIES = recordFields(["due_date", "remind", "repeat"]);

/** The properties of a record. A change is saved as soon as it is made. */
export function RecordProperties({ memory }: { memory: Memory }) {
  const [unscoped, setUnscoped] = useState<MemoryChange>();
  const save = (fields: MemoryChange) => void saveMemoryFields(memory, fields);
  const change = (fields: MemoryChange) =>
    canApplyToSeries(memory, fields) ? setUnscoped(fields) : save(fields);
  return (
    <aside className={styles.facts} aria-label="Properties">
      {PROPERTIES.map(([name, field]) => {
        const Control = field.control && CONTROLS[field.control];
        return Control && <Control key={name} memory={memory} name={name} field={field} onChange={change} />;
      })}
      <ReadOnlyFacts memory={memory} />
      {unscoped && <ApplyToDialog change={unscoped} onChange={save} onClose={() => setUnscoped(undefined)} />}
    </aside>
  );
}
