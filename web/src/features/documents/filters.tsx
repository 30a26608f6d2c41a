import { Search } from "lucide-react";
import {
  Button as AriaButton,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select,
  SelectValue,
  ToggleButton,
} from "react-aria-components";
import { ButtonLink } from "../../kit/button.tsx";
import pickerStyles from "../../kit/picker.module.css";
import { AddTag } from "../tags/tag-field.tsx";
import { useTags } from "../tags/tags.ts";
import styles from "./documents.module.css";
import { type Place, SORTS, type Sort } from "./place.ts";

/** Tags that are offered as chips; the others by typing. */
const CHIPS = 4;

type Change = (part: Partial<Place>) => void;

function TagChips({ tags, onChange }: { tags: string[]; onChange: (tags: string[]) => void }) {
  const { data: all = [] } = useTags();
  const common = all
    .toSorted((one, other) => other.document_count - one.document_count)
    .map(({ name }) => name)
    .filter((name) => !tags.includes(name));
  const counts = new Map(all.map(({ name, document_count }) => [name, document_count]));
  const chips = [...tags, ...common.slice(0, Math.max(0, CHIPS - tags.length))];
  if (chips.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend in sight
    <div role="group" aria-label="Only with the tags" className={styles.chips}>
      {chips.map((tag) => (
        <ToggleButton
          key={tag}
          className={styles.chip ?? ""}
          isSelected={tags.includes(tag)}
          onChange={(on) => onChange(on ? [...tags, tag] : tags.filter((other) => other !== tag))}
        >
          {tag} <small>{counts.get(tag) ?? 0}</small>
        </ToggleButton>
      ))}
      {all.length > chips.length && (
        <div className={styles.otherTag}>
          <AddTag
            label="Filter by another tag"
            placeholder="Other tag"
            except={tags}
            onAdd={(tag) => onChange([...tags, tag])}
          />
        </div>
      )}
    </div>
  );
}

const SortBy = ({ sort, onChange }: { sort: Sort; onChange: (sort: Sort) => void }) => (
  <Select value={sort} onChange={(key) => onChange(key as Sort)} className={styles.sort ?? ""}>
    <Label className="visually-hidden">Sort by</Label>
    <AriaButton className={styles.sortButton ?? ""}>
      <SelectValue /> <span aria-hidden="true">▾</span>
    </AriaButton>
    <Popover className={pickerStyles.popover ?? ""}>
      <ListBox>
        {Object.entries(SORTS).map(([id, { name }]) => (
          <ListBoxItem key={id} id={id} className={pickerStyles.item ?? ""}>
            {name}
          </ListBoxItem>
        ))}
      </ListBox>
    </Popover>
  </Select>
);

/** The query of the search for what this list shows. */
const searchFor = (folderName: string | undefined, tags: string[]) =>
  [
    ...(folderName ? [`folder:"${folderName}"`] : []),
    ...tags.map((tag) => (/\s/.test(tag) ? `tag:"${tag}"` : `tag:${tag}`)),
  ].join(" ");

type Props = { place: Place; folderName: string | undefined; onChange: Change };

/** What narrows and orders the list. */
export const Filters = ({ place, folderName, onChange }: Props) => {
  const query = searchFor(folderName, place.tags);
  return (
    <div className={styles.filters}>
      <TagChips tags={place.tags} onChange={(tags) => onChange({ tags })} />
      <SortBy sort={place.sort} onChange={(sort) => onChange({ sort })} />
      <ButtonLink
        kind="quiet"
        aria-label="Search here"
        href={query ? `/search?q=${encodeURIComponent(`${query} `)}` : "/search"}
      >
        <Search aria-hidden="true" size="1rem" /> Search
      </ButtonLink>
    </div>
  );
};
