import { dropCopy, keepCopy, useIsKept } from "../state/copies.ts";
import { useMe } from "../state/queries.ts";
import { toast } from "../state/toasts.ts";
import { CloudDownload, CloudOff } from "./icons.tsx";

/** The action that keeps something on this device for when there is no network, or stops keeping it. */
export function useKeeping(path: string, answer: unknown) {
  const me = useMe();
  const isKept = useIsKept(path);
  const keep = () =>
    keepCopy(path, answer, me).then(
      () =>
        toast({ text: "Kept on this device for when there is no network", undo: () => void dropCopy(path) }),
      () => toast({ text: "This browser has no room to keep it", kind: "refused" }),
    );
  return isKept
    ? { name: "Do not keep offline", icon: CloudOff, run: () => void dropCopy(path) }
    : { name: "Keep offline", icon: CloudDownload, run: () => void keep() };
}
