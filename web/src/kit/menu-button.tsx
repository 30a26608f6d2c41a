import type { ButtonProps } from "react-aria-components";
import type { Action } from "./actions.ts";
import { IconButton } from "./button.tsx";
import { Ellipsis, type Icon } from "./icons.tsx";

/** `icon`: of the button; three dots by default. */
export type ActionMenuProps = { label: string; icon?: Icon; actions: readonly Action[] };

type ButtonLook = Pick<ActionMenuProps, "label" | "icon">;

export const MenuButton = ({
  label,
  icon: ButtonIcon = Ellipsis,
  ...props
}: ButtonLook & Pick<ButtonProps, "onPress">) => (
  <IconButton label={label} aria-haspopup="menu" {...props}>
    <ButtonIcon />
  </IconButton>
);
