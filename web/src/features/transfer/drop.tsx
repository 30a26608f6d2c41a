import { useEffect, useState } from "react";
import { type DropItem, DropZone, FileTrigger, Text } from "react-aria-components";
import { Button } from "../../kit/button.tsx";
import { FileUp } from "../../kit/icons.tsx";
import { type Picked, pickedFrom, pickedFromDrop } from "./picked.ts";
import styles from "./transfer.module.css";

/** What a file chooser on a phone can tell apart it does by type, so types stand beside endings. */
const ACCEPTED = [
  ".md",
  ".mdx",
  ".markdown",
  ".txt",
  ".zip",
  ".jex",
  ".jsonl",
  ".ndjson",
  ".csv",
  ".json",
  ".ics",
  "text/csv",
  "application/json",
  "text/calendar",
  "text/markdown",
  "text/plain",
  "application/zip",
];

const mayChooseFolders = "webkitdirectory" in HTMLInputElement.prototype;

/** A file that misses the zone must not replace the app. */
function useNoNavigation(): void {
  useEffect(() => {
    const refuse = (event: DragEvent) => event.preventDefault();
    window.addEventListener("dragover", refuse);
    window.addEventListener("drop", refuse);
    return () => {
      window.removeEventListener("dragover", refuse);
      window.removeEventListener("drop", refuse);
    };
  }, []);
}

/** Where files and folders are dropped or chosen. */
export function Drop({ onPick }: { onPick: (picked: Picked) => void }) {
  const [problem, setProblem] = useState<string>();
  useNoNavigation();
  const take = async (gather: () => Picked | Promise<Picked>) => {
    setProblem(undefined);
    try {
      const picked = await gather();
      if (picked.files.length + picked.leftOut.length > 0) onPick(picked);
      else setProblem("There are no files in it.");
    } catch (refused) {
      setProblem((refused as Error).message);
    }
  };
  const choose = (list: FileList | null) => list && take(() => pickedFrom(list));
  return (
    <DropZone
      className={styles.drop ?? ""}
      getDropOperation={() => "copy"}
      onDrop={({ items }) => void take(() => pickedFromDrop(items as DropItem[]))}
    >
      <FileUp aria-hidden="true" />
      <Text slot="label" className={styles.dropLabel ?? ""}>
        Drop a folder or files here
      </Text>
      <p className={styles.quiet}>
        Markdown and text files with the pictures and files that they refer to, a zip of them, an export of
        Joplin (.jex), JSON lines, tasks of Todoist (.csv, .json) or of a calendar (.ics), or an export of
        Commonplace. Nothing is written before you have seen what would happen.
      </p>
      <div className={styles.buttons}>
        {mayChooseFolders && (
          <FileTrigger acceptDirectory onSelect={choose}>
            <Button>Choose a folder…</Button>
          </FileTrigger>
        )}
        <FileTrigger allowsMultiple acceptedFileTypes={ACCEPTED} onSelect={choose}>
          <Button>Choose files…</Button>
        </FileTrigger>
      </div>
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </DropZone>
  );
}
