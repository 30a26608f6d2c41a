import { lazy, Suspense, useState } from "react";
import { ChevronsUpDown } from "../kit/icons.tsx";
import { useMe } from "../state/queries.ts";
import styles from "./sidebar.module.css";

const AccountMenu = lazy(() => import("./account-menu.tsx"));

/** The signed-in account: a button whose menu is loaded on the first press. */
export function Account() {
  const me = useMe();
  const [isWanted, setWanted] = useState(false);
  const name = me?.name ?? me?.email;
  if (!name) return null;
  const button = (
    <button type="button" className={styles.account} aria-haspopup="menu" onClick={() => setWanted(true)}>
      <span>{name}</span> <ChevronsUpDown />
    </button>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <AccountMenu name={name} />
    </Suspense>
  );
}
