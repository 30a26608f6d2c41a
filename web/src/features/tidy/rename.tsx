import { useState } from "react";
import type { Finding } from "../../api/tidy.ts";
import { Button } from "../../kit/button.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import styles from "./tidy.module.css";

const LONGEST = 80;

/** The first sentence of what a record says, as far as it fits into a line. */
function suggestionFor({ title, excerpt }: Finding["items"][number]): string {
  const [sentence = ""] = (excerpt ?? "").split(/(?<=\p{L})[.!?\n]/u);
  const cut = sentence.length <= LONGEST ? sentence : sentence.slice(0, sentence.lastIndexOf(" ", LONGEST));
  return cut.trim() || title;
}

type Props = { finding: Finding; onClose: () => void; onRename: (topic: string) => void };

/** Asks for another topic, and suggests one. */
export function Rename({ finding: { items }, onClose, onRename }: Props) {
  const [item] = items;
  const [topic, setTopic] = useState(item ? suggestionFor(item) : "");
  return (
    <Dialog title="Another topic" isOpen onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          onRename(topic.trim());
        }}
      >
        <TextField label="Topic" value={topic} onChange={setTopic} autoFocus maxLength={500} />
        <Actions>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isDisabled={topic.trim() === ""}>
            Rename
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}
