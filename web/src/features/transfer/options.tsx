import { useState } from "react";
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from "react-aria-components";
import choices from "../../kit/choices.module.css";
import field from "../../kit/field.module.css";
import { TextField } from "../../kit/field.tsx";
import styles from "./transfer.module.css";

type Props = {
  /** The folders of the account. */
  paths: readonly [id: string, names: string[]][];
  onFolder: (path: string) => void;
  onTags: (tags: string) => void;
};

/** The target folder and tags of an import. The callbacks run on blur, not on every key. */
export function ImportOptions({ paths, onFolder, onTags }: Props) {
  const [folder, setFolder] = useState("");
  const [tags, setTags] = useState("");
  const items = paths.map(([id, names]) => ({ id, path: names.join("/") }));
  const pick = (key: string | number | null) => {
    const path = items.find(({ id }) => id === key)?.path;
    if (path === undefined) return;
    setFolder(path);
    onFolder(path);
  };
  return (
    <div className={styles.options}>
      <ComboBox
        allowsCustomValue
        defaultItems={items}
        inputValue={folder}
        onInputChange={setFolder}
        onChange={(key) => pick(key as string | null)}
        onBlur={() => onFolder(folder)}
        className={field.field}
      >
        <Label>Into folder</Label>
        <Input className={field.input} placeholder="Top level" />
        <Text slot="description" className={field.hint}>
          Existing or new. Separate nested folders with slashes.
        </Text>
        <Popover className={choices.popover}>
          <ListBox>
            {({ id, path }: { id: string; path: string }) => (
              <ListBoxItem id={id} textValue={path} className={choices.option}>
                {path.replaceAll("/", " / ")}
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      <TextField
        label="Tags for every document"
        hint="In addition to tags from front matter. Separate them with commas."
        placeholder="none"
        value={tags}
        onChange={setTags}
        onBlur={() => onTags(tags)}
        onKeyDown={({ key }) => key === "Enter" && onTags(tags)}
      />
    </div>
  );
}
