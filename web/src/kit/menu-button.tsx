import type { ButtonProps } from "react-aria-components";
import { IconButton } from "./button.tsx";
import { Ellipsis, type Icon } from "./icons.tsx";

export type Action = {
  name: string;
  icon?: Icon;
  /** The key that does the same. */
  shortcut?: string;
  isDangerous?: boolean;
  run: () => void;
};

export type ActionMenuProps = { label: string; actions: Action[] };

export const MenuButton = ({ label, ...props }: { label: string } & Pick<ButtonProps, "onPress">) => (
  <IconButton label={label} aria-haspopup="menu" {...props}>
    <Ellipsis aria-hidden="true" />
  </IconButton>
);
