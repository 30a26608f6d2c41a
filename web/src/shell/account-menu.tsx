import { useState } from "react";
import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from "react-aria-components";
import { screenPath } from "../../../src/contract/paths.ts";
import { Check, ChevronsUpDown, Keyboard, LogOut, Settings } from "../kit/icons.tsx";
import { Key } from "../kit/key.tsx";
import picker from "../kit/picker.module.css";
import { showOverlay } from "../state/overlay.ts";
import { applyTheme, readTheme, type Theme } from "../state/theme.ts";
import { signOut } from "./actions.ts";
import styles from "./sidebar.module.css";

const THEMES: { id: Theme; name: string }[] = [
  { id: "light", name: "Light" },
  { id: "dark", name: "Dark" },
  { id: "system", name: "System" },
];

/** The menu of the account, loaded on the first press and open right away. */
export default function AccountMenu({ name }: { name: string }) {
  const [theme, setTheme] = useState(readTheme);
  const choose = (next: Theme) => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <MenuTrigger defaultOpen onOpenChange={() => setTheme(readTheme())}>
      <Button className={styles.account}>
        <span>{name}</span> <ChevronsUpDown />
      </Button>
      <Popover className={picker.popover} placement="top start">
        <Menu aria-label={`Account of ${name}`} autoFocus="first">
          <MenuItem href={screenPath("settings")} className={picker.item} textValue="Settings">
            <Settings /> Settings <Key>g p</Key>
          </MenuItem>
          <MenuItem
            onAction={() => showOverlay("shortcuts")}
            className={picker.item}
            textValue="Keyboard shortcuts"
          >
            <Keyboard /> Keyboard shortcuts <Key>?</Key>
          </MenuItem>
          <MenuSection
            className={styles.themes}
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[theme]}
            onSelectionChange={(keys) => {
              const [next] = keys === "all" ? [] : keys;
              if (next) choose(next as Theme);
            }}
          >
            <Header>Theme</Header>
            {THEMES.map(({ id, name: text }) => (
              <MenuItem key={id} id={id} className={picker.item} textValue={text}>
                {({ isSelected }) => (
                  <>
                    <Check visibility={isSelected ? "visible" : "hidden"} /> {text}
                  </>
                )}
              </MenuItem>
            ))}
          </MenuSection>
          <MenuItem onAction={() => void signOut()} className={picker.item} textValue="Sign out">
            <LogOut /> Sign out
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
