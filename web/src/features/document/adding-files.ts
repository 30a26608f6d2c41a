import { type RefObject, useEffect, useRef, useState } from "react";
import { openTexts, type WaitingFile } from "../../state/waiting-files.ts";
import { changesFor, referenceIn, waitingName } from "../files/reference.ts";
import type { Handle } from "./stand-in.tsx";
import type { Start } from "./start.ts";
import type { Editing } from "./use-editing.ts";

// Adds files to a text while it is edited.

/** A picture that needs a description. `name`: the reference to it in the text, which changes when it is uploaded. */
export type Described = { file: WaitingFile; name: string };

/** Updates the references in the text when files are uploaded. */
function useRenames(handle: RefObject<Handle | null>, onRenamed: (name: string, next: string) => void) {
  const latest = useRef(onRenamed);
  latest.current = onRenamed;
  useEffect(() => {
    const rename = ({ name, next }: { name: string; next: string | undefined }) => {
      const isFound = handle.current?.edit((text) => changesFor(text, name, next)) ?? false;
      if (isFound && next && referenceIn(next)?.id) latest.current(name, next);
      return isFound;
    };
    openTexts.add(rename);
    return () => void openTexts.delete(rename);
  }, [handle]);
}

/** Inserts files into the text. `pictures`: pictures that need a description. */
export function useAddingFiles(start: Start, editing: Editing, handle: RefObject<Handle | null>) {
  const [pictures, setPictures] = useState<readonly Described[]>([]);
  useRenames(handle, (name, next) =>
    setPictures((all) => all.map((one) => (one.name === name ? { ...one, name: next } : one))),
  );
  const { base, writer } = editing;
  const add = async (files: readonly File[], at?: number) => {
    const { putFiles } = await import("../files/put.ts");
    const added = await putFiles(files, {
      to: base ? { document: base.id } : { writer },
      isMarkdown: start.kind === "markdown",
      insert: (put) => handle.current?.insert(put, at),
    });
    setPictures((all) => [...all, ...added.map((file) => ({ file, name: waitingName(file.key) }))]);
  };
  return {
    add: (files: readonly File[], at?: number) => void add(files, at),
    pictures,
    markDescribed: (one: Described) =>
      setPictures((all) => all.filter((other) => other.file.key !== one.file.key)),
    skip: () => setPictures([]),
  };
}
