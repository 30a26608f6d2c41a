import { ChevronsUpDown } from "../kit/icons.tsx";
import { useLoadOnPress } from "../kit/load-on-press.ts";
import { useMe } from "../state/queries.ts";
import styles from "./sidebar.module.css";

/** The signed-in account: a button whose menu is loaded on the first press. */
export function Account() {
  const me = useMe();
  const [Menu, open] = useLoadOnPress(() => import("./account-menu.tsx"));
  const name = me?.name ?? me?.email;
  if (!name) return null;
  if (Menu) return <Menu name={name} />;
  return (
    <button type="button" className={styles.account} aria-haspopup="menu" onClick={open}>
      <span>{name}</span> <ChevronsUpDown />
    </button>
  );
}
