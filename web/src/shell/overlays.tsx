import "../features/records/record-actions.tsx";
import "../features/records/step-dialogs.tsx";
import "../kit/modal.tsx";
import { useOverlay } from "../state/overlay.ts";
import "../state/undo-changes.ts";
import { Palette } from "./palette.tsx";
import { ShortcutsHelp } from "./shortcuts-help.tsx";
import "./sign-in-forms.tsx";

/** Overlays available on every screen. Loaded after the first screen is shown. */
export default function Overlays() {
  const over = useOverlay();
  return (
    <>
      <Palette isOpen={over === "palette"} />
      <ShortcutsHelp isOpen={over === "shortcuts"} />
    </>
  );
}
