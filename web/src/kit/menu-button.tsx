import type { ButtonProps } from "react-aria-components";
import { IconButton } from "./button.tsx";
import { Ellipsis, type Icon } from "./icons.tsx";

export type Action = {
  name: string;
  /** Tells apart those of the same name. */
  id?: string;
  icon?: Icon;
  /** The key that does the same. */
  shortcut?: string;
  isDangerous?: boolean;
  /** A line that says something and does nothing. */
  isDisabled?: boolean;
  run: () => void;
};

/** The icon of its button is three dots by default. */
export type ActionMenuProps = { label: string; icon?: Icon; actions: Action[] };

type ButtonLook = Pick<ActionMenuProps, "label" | "icon">;

export const MenuButton = ({
  label,
  icon: Shown = Ellipsis,
  ...props
}: ButtonLook & Pick<ButtonProps, "onPress">) => (
  <IconButton label={label} aria-haspopup="menu" {...props}>
    <Shown aria-hidden="true" />
  </IconButton>
);
