import { dropCopy, keepCopy, useIsKept } from "../state/copies.ts";
import { useMe } from "../state/queries.ts";
import { toast } from "../state/toasts.ts";
import { CloudDownload, CloudOff } from "./icons.tsx";

/** The action that makes an item available offline, or removes it again. */
export function useKeeping(path: string, answer: unknown) {
  const me = useMe();
  const isKept = useIsKept(path);
  const keep = () =>
    keepCopy(path, answer, me).then(
      () => toast({ text: "Available offline on this device", undo: () => void dropCopy(path) }),
      () => toast({ text: "Not enough storage in this browser", kind: "refused" }),
    );
  return isKept
    ? { name: "Don’t keep offline", icon: CloudOff, run: () => void dropCopy(path) }
    : { name: "Keep offline", icon: CloudDownload, run: () => void keep() };
}
