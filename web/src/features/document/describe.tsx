import { useState } from "react";
import { filesApi } from "../../api/files.ts";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/field.tsx";
import { arrivedAs, changeFile } from "../../state/waiting-files.ts";
import { useAddress } from "../files/here.ts";
import { alternativesFor, type Change, referenceIn } from "../files/reference.ts";
import type { Described } from "./adding-files.ts";
import styles from "./describe.module.css";

type Props = {
  /** The form is about the first of these. */
  pictures: readonly Described[];
  edit: (changesOf: (text: string) => Change[]) => void;
  onAnswer: (picture: Described) => void;
  onSkip: () => void;
};

/** Sets the description in the text and of the file. */
function describe({ file, name }: Described, words: string, edit: Props["edit"]): void {
  edit((text) => alternativesFor(text, name, words));
  const id = referenceIn(name)?.id ?? arrivedAs.get(file.key);
  if (id) void filesApi.update(id, { alt: words }).catch(() => undefined);
  else void changeFile(file.key, { alt: words });
}

/** Asks for the description of a picture that was just added. */
export default function Describe({ pictures, edit, onAnswer, onSkip }: Props) {
  const [first] = pictures;
  const address = useAddress(first?.file.bytes);
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
