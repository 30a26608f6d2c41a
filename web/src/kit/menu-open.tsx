import { Ellipsis, type LucideIcon } from "lucide-react";
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { IconButton } from "./button.tsx";
import styles from "./picker.module.css";

export type Action = {
  name: string;
  icon?: LucideIcon;
  /** The key that does the same. */
  shortcut?: string;
  isDangerous?: boolean;
  run: () => void;
};

/** More actions behind a button with three dots. */
export const ActionMenu = ({ label, actions }: { label: string; actions: Action[] }) => (
  <MenuTrigger>
    <IconButton label={label}>
      <Ellipsis aria-hidden="true" />
    </IconButton>
    <Popover className={styles.popover ?? ""}>
      <AriaMenu aria-label={label}>
        {actions.map(({ name, icon: Icon, shortcut, isDangerous, run }) => (
          <MenuItem
            key={name}
            textValue={name}
            onAction={run}
            className={isDangerous ? `${styles.item} ${styles.danger}` : (styles.item ?? "")}
          >
            {Icon && <Icon aria-hidden="true" />}
            {name}
            {shortcut && <kbd>{shortcut}</kbd>}
          </MenuItem>
        ))}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
);
