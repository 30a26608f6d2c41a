import { useEffect, useState } from "react";
import { useFilesHere, type WaitingFile } from "../../state/waiting-files.ts";

/** A file that waits on this device; undefined if it does not. */
export const useFileHere = (key: string | undefined): WaitingFile | undefined =>
  useFilesHere().find((file) => file.key === key);

const LOADED_MS = 10_000;

/** An address of bytes that are here, while they are shown. */
export function useAddress(bytes: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!bytes) return setAddress(undefined);
    const made = URL.createObjectURL(bytes);
    setAddress(made);
    // What is shown by it may not be loaded yet.
    return () => void setTimeout(() => URL.revokeObjectURL(made), LOADED_MS);
  }, [bytes]);
  return address;
}
