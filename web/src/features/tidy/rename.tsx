import { useState } from "react";
import type { Finding } from "../../api/tidy.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, SubmitOrCancel } from "../../kit/form.tsx";

const MAX_LENGTH = 80;

/** The first sentence of a record, cut to fit a line. */
function suggestTopic({ title, excerpt }: Finding["items"][number]): string {
  const [sentence = ""] = (excerpt ?? "").split(/(?<=\p{L})[.!?\n]/u);
  const cut =
    sentence.length <= MAX_LENGTH ? sentence : sentence.slice(0, sentence.lastIndexOf(" ", MAX_LENGTH));
  return cut.trim() || title;
}

type Props = { finding: Finding; onClose: () => void; onRename: (topic: string) => void };

export function RenameDialog({ finding: { items }, onClose, onRename }: Props) {
  const [item] = items;
  const [topic, setTopic] = useState(item ? suggestTopic(item) : "");
  return (
    <Dialog title="Rename record" isOpen onClose={onClose}>
      <Form onSubmit={() => onRename(topic.trim())}>
        <TextField label="Topic" value={topic} onChange={setTopic} autoFocus maxLength={500} />
        <SubmitOrCancel verb="Rename" onCancel={onClose} isDisabled={topic.trim() === ""} />
      </Form>
    </Dialog>
  );
}
