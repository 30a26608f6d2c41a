import { useState } from "react";
import { filesApi } from "../../api/files.ts";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/field.tsx";
import { pendingFiles, uploadedIds } from "../../state/pending-files.ts";
import { useObjectUrl } from "../files/local-files.ts";
import { altTextChanges, parseFileReference, type TextChange } from "../files/reference.ts";
import styles from "./describe.module.css";
import type { PictureToDescribe } from "./use-add-files.ts";

type Props = {
  /** The form asks about the first of these. */
  pictures: readonly PictureToDescribe[];
  edit: (changesOf: (text: string) => TextChange[]) => void;
  onAnswer: (picture: PictureToDescribe) => void;
  onSkip: () => void;
};

function describe({ file, name }: PictureToDescribe, words: string, edit: Props["edit"]): void {
  edit((text) => altTextChanges(text, name, words));
  const id = parseFileReference(name)?.id ?? uploadedIds.get(file.key);
  if (id) void filesApi.update(id, { alt: words }).catch(() => undefined);
  else void pendingFiles.update(file.key, { alt: words });
}

/** Asks for the description of a picture that was just added. */
export default function Describe({ pictures, edit, onAnswer, onSkip }: Props) {
  const [first] = pictures;
  const address = useObjectUrl(first?.file.bytes);
  const [words, setWords] = useState("");
  if (!first) return null;
  const answer = () => {
    if (words.trim()) describe(first, words.trim(), edit);
    setWords("");
    onAnswer(first);
  };
  return (
    <form
      className={styles.ask}
      data-at-end="question"
      aria-label="Describe the picture"
      onSubmit={(event) => {
        event.preventDefault();
        answer();
      }}
    >
      {address && <img src={address} alt="" />}
      <TextField
        label={
          pictures.length > 1 ? `What does it show? (${pictures.length} pictures)` : "What does it show?"
        }
        placeholder="For people who can’t see it"
        maxLength={1000}
        value={words}
        onChange={setWords}
        onKeyDown={(event) => {
          if (event.key === "Escape") onSkip();
        }}
      />
      <Button type="submit" isDisabled={words.trim() === ""}>
        Describe
      </Button>
      <Button kind="quiet" onPress={onSkip}>
        Skip
      </Button>
    </form>
  );
}
