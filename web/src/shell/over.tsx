import "../kit/modal.tsx";
import { useOver } from "../state/over.ts";
import { Palette } from "./palette.tsx";
import { ShortcutsHelp } from "./shortcuts-help.tsx";

/** What can be opened over every screen. Loaded after the first screen is shown. */
export default function Over() {
  const over = useOver();
  return (
    <>
      <Palette isOpen={over === "palette"} />
      <ShortcutsHelp isOpen={over === "shortcuts"} />
    </>
  );
}
