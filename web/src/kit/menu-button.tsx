import type { ButtonProps } from "react-aria-components";
import { IconButton } from "./button.tsx";
import { Ellipsis, type Icon } from "./icons.tsx";

export type MenuAction = {
  name: string;
  /** Distinguishes actions with the same name. */
  id?: string;
  icon?: Icon;
  /** The equivalent key. */
  shortcut?: string;
  isDangerous?: boolean;
  /** For an item that only informs. */
  isDisabled?: boolean;
  run: () => void;
};

/** `icon`: of the button; three dots by default. */
export type ActionMenuProps = { label: string; icon?: Icon; actions: MenuAction[] };

type ButtonLook = Pick<ActionMenuProps, "label" | "icon">;

export const MenuButton = ({
  label,
  icon: ButtonIcon = Ellipsis,
  ...props
}: ButtonLook & Pick<ButtonProps, "onPress">) => (
  <IconButton label={label} aria-haspopup="menu" {...props}>
    <ButtonIcon aria-hidden="true" />
  </IconButton>
);
