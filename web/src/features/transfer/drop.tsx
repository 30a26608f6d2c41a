import { useEffect, useState } from "react";
import { type DropItem, DropZone, FileTrigger, Text } from "react-aria-components";
import { Button } from "../../kit/button.tsx";
import { FileUp } from "../../kit/document-icons.ts";
import { FormError } from "../../kit/form.tsx";
import { useMedia } from "../../kit/media.ts";
import { type Picked, pickedFromDrop, pickedFromList } from "./picked.ts";
import styles from "./transfer.module.css";

/** Extensions and types: file pickers on phones filter by type. */
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

/** A file dropped outside the zone must not replace the page. */
function useNoNavigation(): void {
  useEffect(() => {
    const preventDrop = (event: DragEvent) => event.preventDefault();
    window.addEventListener("dragover", preventDrop);
    window.addEventListener("drop", preventDrop);
    return () => {
      window.removeEventListener("dragover", preventDrop);
      window.removeEventListener("drop", preventDrop);
    };
  }, []);
}

export function DropArea({ onPick }: { onPick: (picked: Picked) => void }) {
  const [problem, setProblem] = useState<string>();
  const isTouched = useMedia("(hover: none)");
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
  const choose = (list: FileList | null) => list && take(() => pickedFromList(list));
  return (
    <DropZone
      className={styles.drop}
      getDropOperation={() => "copy"}
      onDrop={({ items }) => void take(() => pickedFromDrop(items as DropItem[]))}
    >
      <FileUp />
      <Text slot="label" className={styles.dropLabel}>
        {isTouched ? "Import your notes" : "Drop a folder or files here"}
      </Text>
      <p className={styles.quiet}>
        Markdown and text files with the images and files that they link to, a zip of them, a Joplin export
        (.jex), JSON lines, tasks from Todoist (.csv, .json) or a calendar (.ics), or a Commonplace export.
        Nothing is imported until you confirm.
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
      <FormError>{problem}</FormError>
    </DropZone>
  );
}
