import { type RefObject, useEffect, useRef, useState } from "react";
import { openTexts, type WaitingFile } from "../../state/waiting-files.ts";
import { changesFor, referenceIn, waitingName } from "../files/reference.ts";
import type { Handle } from "./stand-in.tsx";
import type { Start } from "./start.ts";
import type { Editing } from "./use-editing.ts";

// Files that come into a text while it is written.

/** A picture whose description is asked for, and what the text calls it now. */
export type Described = { file: WaitingFile; name: string };

/** Names files in the text anew as they arrive. */
function useRenames(way: RefObject<Handle | null>, onRenamed: (name: string, next: string) => void) {
  const latest = useRef(onRenamed);
  latest.current = onRenamed;
  useEffect(() => {
    const rename = ({ name, next }: { name: string; next: string | undefined }) => {
      const isThere = way.current?.edit((text) => changesFor(text, name, next)) ?? false;
      if (isThere && next && referenceIn(next)?.id) latest.current(name, next);
      return isThere;
    };
    openTexts.add(rename);
    return () => void openTexts.delete(rename);
  }, [way]);
}

/** What puts files into the text, and the pictures that somebody may describe. */
export function useAddingFiles(start: Start, editing: Editing, way: RefObject<Handle | null>) {
  const [asked, setAsked] = useState<readonly Described[]>([]);
  useRenames(way, (name, next) =>
    setAsked((all) => all.map((one) => (one.name === name ? { ...one, name: next } : one))),
  );
  const { base, writer } = editing;
  const add = async (files: readonly File[], at?: number) => {
    const { putFiles } = await import("../files/put.ts");
    const pictures = await putFiles(files, {
      to: base ? { document: base.id } : { writer },
      isMarkdown: start.kind === "markdown",
      insert: (put) => way.current?.insert(put, at),
    });
    setAsked((all) => [...all, ...pictures.map((file) => ({ file, name: waitingName(file.key) }))]);
  };
  return {
    add: (files: readonly File[], at?: number) => void add(files, at),
    asked,
    answered: (one: Described) => setAsked((all) => all.filter((other) => other.file.key !== one.file.key)),
    skip: () => setAsked([]),
  };
}
