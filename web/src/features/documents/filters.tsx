import { lazy, Suspense, useState } from "react";
import { ToggleButton } from "react-aria-components";
import { ButtonLink } from "../../kit/button.tsx";
import { Pencil, Search, Trash2 } from "../../kit/icons.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import { useTagChoices } from "../tags/tags.ts";
import { pinTag } from "../things/pinned.ts";
import styles from "./documents.module.css";
import type { TagDialogProps } from "./tag-dialogs.tsx";
import { type DocumentsView, SORT_OPTIONS, type Sort, TASK_FILTERS, type TaskFilter } from "./view.ts";

/** Number of tags offered as chips; others are typed. */
const MAX_CHIPS = 4;

const AddTag = lazy(() => import("../tags/tag-field.tsx").then(({ AddTag: field }) => ({ default: field })));

const TagDialog = lazy(() =>
  import("./tag-dialogs.tsx").then(({ TagDialog: dialog }) => ({ default: dialog })),
);

type TagsProps = { tags: string[]; onChange: (tags: string[]) => void };

/** A button that becomes a field for any other tag. */
function OtherTag({ tags, onChange }: TagsProps) {
  const [isOpen, setOpen] = useState(false);
  const button = (
    <button type="button" className={styles.chip} onClick={() => setOpen(true)}>
      Other tag
    </button>
  );
  if (!isOpen) return button;
  return (
    <Suspense fallback={button}>
      <div className={styles.otherTag}>
        <AddTag
          autoFocus
          label="Filter by another tag"
          placeholder="Other tag"
          except={tags}
          onAdd={(tag) => onChange([...new Set([...tags, tag])])}
        />
      </div>
    </Suspense>
  );
}

/** Actions for the selected tag, if it is the only one. */
function TagMenu({ tag, onChange }: Pick<TagDialogProps, "tag" | "onChange">) {
  const [about, setAbout] = useState<TagDialogProps["about"]>();
  const actions = [
    { name: "Rename tag…", icon: Pencil, run: () => setAbout("rename") },
    { name: "Remove tag…", icon: Trash2, isDangerous: true, run: () => setAbout("remove") },
  ];
  return (
    <>
      <ActionMenu label={`Actions for the tag ${tag}`} actions={actions} />
      {about && (
        <Suspense>
          <TagDialog tag={tag} about={about} onChange={onChange} onClose={() => setAbout(undefined)} />
        </Suspense>
      )}
    </>
  );
}

function TagChips({ tags, onChange }: TagsProps) {
  const { data: all = [] } = useTagChoices();
  const common = all
    .toSorted((one, other) => other.document_count - one.document_count)
    .map(({ name }) => name)
    // Pinned documents are listed above already.
    .filter((name) => !tags.includes(name) && pinTag({ tags: [name] }) === undefined);
  const counts = new Map(all.map(({ name, document_count }) => [name, document_count]));
  const chips = [...tags, ...common.slice(0, Math.max(0, MAX_CHIPS - tags.length))];
  if (chips.length === 0) return null;
  const [tag, ...others] = tags;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a visible legend
    <div role="group" aria-label="Filter by tag" className={styles.chips}>
      {chips.map((tag) => (
        <ToggleButton
          key={tag}
          className={styles.chip ?? ""}
          isSelected={tags.includes(tag)}
          onChange={(on) => onChange(on ? [...tags, tag] : tags.filter((other) => other !== tag))}
        >
          <span>{tag}</span> <small>{counts.get(tag) ?? 0}</small>
          <span className="visually-hidden"> {counts.get(tag) === 1 ? "document" : "documents"}</span>
        </ToggleButton>
      ))}
      {tag !== undefined && others.length === 0 && (
        <TagMenu tag={tag} onChange={(next) => onChange(next ? [next] : [])} />
      )}
      {all.length > chips.length && <OtherTag tags={tags} onChange={onChange} />}
    </div>
  );
}

type SelectProps = {
  label: string;
  value: string;
  options: readonly (readonly [value: string, name: string])[];
  onChange: (value: string) => void;
};

const Select = ({ label, value, options, onChange }: SelectProps) => (
  <select
    aria-label={label}
    className={styles.select}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  >
    {options.map(([id, name]) => (
      <option key={id} value={id}>
        {name}
      </option>
    ))}
  </select>
);

const SORT_CHOICES = Object.entries(SORT_OPTIONS).map(([id, { name }]) => [id, name] as const);
const TASK_CHOICES = [
  ["", "Tasks"],
  ...TASK_FILTERS.map((filter) => [filter, `Tasks: ${filter}`] as const),
] as const;

/** The search query that matches the documents of this list. */
const searchFor = (folderName: string | undefined, { tags, tasks }: DocumentsView) =>
  [
    ...(folderName ? [`folder:"${folderName}"`] : []),
    ...tags.map((tag) => (/\s/.test(tag) ? `tag:"${tag}"` : `tag:${tag}`)),
    ...(tasks ? [`task:${tasks}`] : []),
  ].join(" ");

type Props = {
  place: DocumentsView;
  folderName: string | undefined;
  onChange: (part: Partial<DocumentsView>) => void;
};

export const Filters = ({ place, folderName, onChange }: Props) => {
  const query = searchFor(folderName, place);
  return (
    <div className={styles.filters}>
      <TagChips tags={place.tags} onChange={(tags) => onChange({ tags })} />
      <Select
        label="Tasks"
        value={place.tasks ?? ""}
        options={TASK_CHOICES}
        onChange={(tasks) => onChange({ tasks: (tasks || undefined) as TaskFilter | undefined })}
      />
      <Select
        label="Sort by"
        value={place.sort}
        options={SORT_CHOICES}
        onChange={(sort) => onChange({ sort: sort as Sort })}
      />
      <ButtonLink
        kind="quiet"
        aria-label="Search here"
        href={query ? `/search?q=${encodeURIComponent(`${query} `)}` : "/search"}
      >
        <Search aria-hidden="true" size="1rem" /> <span className={styles.whereWide}>Search</span>
      </ButtonLink>
    </div>
  );
};
