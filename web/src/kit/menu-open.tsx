import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { type ActionMenuProps, MenuButton } from "./menu-button.tsx";
import styles from "./picker.module.css";

/** The menu behind the button. It is loaded when it is asked for, and opens then. */
const OpenMenu = ({ label, actions }: ActionMenuProps) => (
  <MenuTrigger defaultOpen>
    <MenuButton label={label} />
    <Popover className={styles.popover ?? ""}>
      <AriaMenu aria-label={label} autoFocus="first">
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

export default OpenMenu;
