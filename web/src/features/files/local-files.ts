import { useEffect, useState } from "react";
import { type PendingFile, usePendingFiles } from "../../state/pending-files.ts";

/** A pending file on this device. */
export const usePendingFile = (key: string | undefined): PendingFile | undefined =>
  usePendingFiles().find((file) => file.key === key);

const REVOKE_MS = 10_000;

export function useObjectUrl(bytes: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!bytes) return setAddress(undefined);
    const made = URL.createObjectURL(bytes);
    setAddress(made);
    // Later, because the image may still be loading from it.
    return () => void setTimeout(() => URL.revokeObjectURL(made), REVOKE_MS);
  }, [bytes]);
  return address;
}
