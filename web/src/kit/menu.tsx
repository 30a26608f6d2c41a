import { useLoadOnPress } from "./load-on-press.ts";
import { type ActionMenuProps, MenuButton } from "./menu-button.tsx";

/** A button with three dots that opens a menu of actions. */
export function ActionMenu(props: ActionMenuProps) {
  const [Menu, open] = useLoadOnPress(() => import("./menu-open.tsx"));
  return Menu ? <Menu {...props} /> : <MenuButton label={props.label} onPress={open} />;
}
