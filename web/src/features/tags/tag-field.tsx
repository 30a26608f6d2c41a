import { useState } from "react";
import {
  Button,
  ComboBox,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Tag,
  TagGroup,
  TagList,
} from "react-aria-components";
import { X } from "../../kit/icons.tsx";
import pickerStyles from "../../kit/picker.module.css";
import styles from "./tag-field.module.css";
import { useTagChoices } from "./tags.ts";

type AddProps = {
  label: string;
  placeholder?: string;
  /** Tags that are not offered. */
  except: readonly string[];
  autoFocus?: boolean;
  onAdd: (tag: string) => void;
};

/** A field that adds a tag and completes existing ones. */
export function AddTag({ label, placeholder = "Add a tag", except, autoFocus = false, onAdd }: AddProps) {
  const { data: tags = [] } = useTagChoices();
  const [typed, setTyped] = useState("");
  const query = typed.trim().toLowerCase();
  const isOffered = ({ name }: { name: string }) =>
    !except.includes(name) && name.toLowerCase().includes(query);
  const add = (tag: string) => {
    setTyped("");
    const name = tag.trim();
    if (name) onAdd(name);
  };
  return (
    <ComboBox
      allowsCustomValue
      menuTrigger="focus"
      className={styles.add}
      inputValue={typed}
      onInputChange={setTyped}
      value={null}
      onChange={(key) => key !== null && add(String(key))}
      items={tags.filter(isOffered).map((tag) => ({ ...tag, id: tag.name }))}
    >
      <Label className="visually-hidden">{label}</Label>
      <Input
        maxLength={64}
        autoFocus={autoFocus}
        placeholder={placeholder}
        className={styles.input}
        onKeyDown={(event) => {
          // Leaves the field, so that further keys are not part of a tag.
          if (event.key === "Escape") {
            setTyped("");
            event.currentTarget.blur();
          }
          if (event.key === "Enter" && !event.currentTarget.getAttribute("aria-activedescendant")) {
            event.preventDefault();
            add(typed);
          }
        }}
      />
      <Popover className={pickerStyles.popover}>
        <section aria-label="Suggestions">
          <ListBox<{ id: string; name: string; document_count: number }>>
            {({ name, document_count }) => (
              <ListBoxItem textValue={name} className={pickerStyles.item}>
                {name}
                <small>{document_count}</small>
              </ListBoxItem>
            )}
          </ListBox>
        </section>
      </Popover>
    </ComboBox>
  );
}

type Props = { tags: readonly string[]; onAdd: (tag: string) => void; onRemove: (tag: string) => void };

/** Removable tags, and a field that adds another. */
export const TagField = ({ tags, onAdd, onRemove }: Props) => (
  <div className={styles.field}>
    {tags.length > 0 && (
      <TagGroup
        aria-label="Tags"
        onRemove={(removed) => tags.filter((tag) => removed.has(tag)).forEach(onRemove)}
      >
        <TagList className={styles.tags}>
          {tags.map((tag) => (
            <Tag key={tag} id={tag} textValue={tag} className={styles.tag}>
              {tag}
              <Button slot="remove" className={styles.remove} aria-label="Remove">
                <X />
              </Button>
            </Tag>
          ))}
        </TagList>
      </TagGroup>
    )}
    <AddTag label="Add a tag" except={tags} onAdd={onAdd} />
  </div>
);
