import { useQuery } from "@tanstack/react-query";
import { type ComponentType, type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { Memory, MemoryChange } from "../../api/memories.ts";
import { Select } from "../../kit/choices.tsx";
import { titleText } from "../../kit/text.ts";
import { Day, Moment } from "../../kit/time.tsx";
import { readDocument } from "../../state/copies.ts";
import { STATUS_NAMES } from "../things/names.ts";
import { DueField, ProjectField, TagsField } from "./fact-fields.tsx";
import { ApplyToDialog, canApplyToSeries, RemindField, RepeatField } from "./plan-fields.tsx";
import styles from "./record.module.css";
import { authorName } from "./record-events.tsx";
import { type RecordField, type RecordFieldName, recordFields } from "./record-fields.ts";
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
