import { deleteCopies, pinCopy, useIsPinned } from "../state/copies.ts";
import { useMe } from "../state/queries.ts";
import { toast } from "../state/toasts.ts";
import { CloudDownload, CloudOff } from "./icons.tsx";

/** The action that makes an item available offline, or removes it again. */
export function useOfflineAction(path: string, answer: unknown) {
  const me = useMe();
  const isKept = useIsPinned(path);
  const unpin = () => void deleteCopies([path]);
  const pin = () =>
    pinCopy(path, answer, me).then(
      () => toast({ text: "Available offline on this device", undo: unpin }),
      () => toast({ text: "Not enough storage in this browser", kind: "refused" }),
    );
  return isKept
    ? { name: "Don’t keep offline", icon: CloudOff, run: unpin }
    : { name: "Keep offline", icon: CloudDownload, run: () => void pin() };
}
