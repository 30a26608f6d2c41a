import { Keyboard } from "lucide-react";
import { show } from "../palette/open.ts";
import { IconButton } from "./button.tsx";

/** Shows the keys of the screen, as `?` does. */
export const KeysButton = () => (
  <IconButton label="Keyboard shortcuts" shortcut="?" onPress={() => show("shortcuts")}>
    <Keyboard aria-hidden="true" />
  </IconButton>
);
