import { deleteCopies, pinCopy, useIsPinned } from "../state/copies.ts";
import { useMe } from "../state/queries.ts";
import { toast } from "../state/toasts.ts";
import { createIcon } from "./icons.tsx";

const CloudDownload = createIcon(
  "M12 13v8l-4-4M12 21l4-4M4.393 15.269A7 7 0 1 1 15.71 8h1.79a4.5 4.5 0 0 1 2.436 8.284",
);
const CloudOff = createIcon(
  "M10.94 5.274A7 7 0 0 1 15.71 10h1.79a4.5 4.5 0 0 1 4.222 6.057M18.796 18.81A4.5 4.5 0 0 1 17.5 19H9A7 7 0 0 1 5.79 5.78M2 2l20 20",
);

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
