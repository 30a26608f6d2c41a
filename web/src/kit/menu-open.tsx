import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { Key } from "./key.tsx";
import { type ActionMenuProps, MenuButton } from "./menu-button.tsx";
import styles from "./picker.module.css";

/** The menu of the button, loaded on the first press and open right away. */
const OpenMenu = ({ label, icon, actions }: ActionMenuProps) => (
  <MenuTrigger defaultOpen>
    <MenuButton label={label} {...(icon && { icon })} />
    <Popover className={styles.popover}>
      <AriaMenu aria-label={label} autoFocus="first">
        {actions.map(({ name, id = name, icon: Icon, shortcut, isDangerous, isDisabled = false, run }) => (
          <MenuItem
            key={id}
            id={id}
            textValue={name}
            isDisabled={isDisabled}
            onAction={run}
            className={isDangerous ? `${styles.item} ${styles.danger}` : styles.item}
          >
            {Icon && <Icon />}
            {name}
            {shortcut && <Key>{shortcut}</Key>}
          </MenuItem>
        ))}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
);

export default OpenMenu;
