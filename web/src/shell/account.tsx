import { useState } from "react";
import { ChevronsUpDown } from "../kit/icons.tsx";
import { useMe } from "../state/queries.ts";
import { PART_NOT_LOADED, toast } from "../state/toasts.ts";
import type AccountMenu from "./account-menu.tsx";
import styles from "./sidebar.module.css";

/** The signed-in account: a button whose menu is loaded on the first press. */
export function Account() {
  const me = useMe();
  const [Menu, setMenu] = useState<typeof AccountMenu>();
  const name = me?.name ?? me?.email;
  if (!name) return null;
  if (Menu) return <Menu name={name} />;
  const open = () =>
    import("./account-menu.tsx").then(
      ({ default: menu }) => setMenu(() => menu),
      () => toast({ kind: "refused", text: PART_NOT_LOADED }),
    );
  return (
    <button type="button" className={styles.account} aria-haspopup="menu" onClick={() => void open()}>
      <span>{name}</span> <ChevronsUpDown />
    </button>
  );
}
