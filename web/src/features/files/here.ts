import { useEffect, useState } from "react";
import { useFilesHere, type WaitingFile } from "../../state/waiting-files.ts";

/** A pending file on this device. */
export const useFileHere = (key: string | undefined): WaitingFile | undefined =>
  useFilesHere().find((file) => file.key === key);

const LOADED_MS = 10_000;

/** An object URL for local bytes. */
export function useAddress(bytes: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!bytes) return setAddress(undefined);
    const made = URL.createObjectURL(bytes);
    setAddress(made);
    // Later, because the image may still be loading from it.
    return () => void setTimeout(() => URL.revokeObjectURL(made), LOADED_MS);
  }, [bytes]);
  return address;
}
