import { type RefObject, useEffect, useRef, useState } from "react";
import { type PendingFile, referenceChangers } from "../../state/pending-files.ts";
import { parseFileReference, pendingFileUri, referenceChanges } from "../files/reference.ts";
import type { DocumentEditor } from "./document-editor.ts";
import type { TextHandle } from "./plain-editor.tsx";
import type { EditStart } from "./start.ts";

/** A picture that needs a description. `name`: the reference to it in the text, which changes when it is uploaded. */
export type PictureToDescribe = { file: PendingFile; name: string };

/** Updates the references in the text when files are uploaded. */
function useRenames(handle: RefObject<TextHandle | null>, onRenamed: (name: string, next: string) => void) {
  const latest = useRef(onRenamed);
  latest.current = onRenamed;
  useEffect(() => {
    const rename = ({ name, next }: { name: string; next: string | undefined }) => {
      const isFound = handle.current?.edit((text) => referenceChanges(text, name, next)) ?? false;
      if (isFound && next && parseFileReference(next)?.id) latest.current(name, next);
      return isFound;
    };
    referenceChangers.add(rename);
    return () => void referenceChangers.delete(rename);
  }, [handle]);
}

/** Inserts files into the text. `pictures`: pictures that need a description. */
export function useAddFiles(start: EditStart, editor: DocumentEditor, handle: RefObject<TextHandle | null>) {
  const [pictures, setPictures] = useState<readonly PictureToDescribe[]>([]);
  useRenames(handle, (name, next) =>
    setPictures((all) => all.map((one) => (one.name === name ? { ...one, name: next } : one))),
  );
  const add = async (files: readonly File[], at?: number) => {
    const { insertFiles } = await import("../files/insert-files.ts");
    const { base } = editor.getSnapshot();
    const added = await insertFiles(files, {
      to: base ? { document: base.id } : { writer: editor.place.writer },
      isMarkdown: start.kind === "markdown",
      insert: (put) => handle.current?.insert(put, at),
    });
    setPictures((all) => [...all, ...added.map((file) => ({ file, name: pendingFileUri(file.key) }))]);
  };
  return {
    add: (files: readonly File[], at?: number) => void add(files, at),
    pictures,
    markDescribed: (one: PictureToDescribe) =>
      setPictures((all) => all.filter((other) => other.file.key !== one.file.key)),
    skip: () => setPictures([]),
  };
}
