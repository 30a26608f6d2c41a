import { lazy, Suspense, useState } from "react";
import { type ActionMenuProps, MenuButton } from "./menu-button.tsx";

const OpenMenu = lazy(() => import("./menu-open.tsx"));

/** More actions behind a button with three dots. */
export function ActionMenu(props: ActionMenuProps) {
  const [isWanted, setWanted] = useState(false);
  const button = <MenuButton label={props.label} onPress={() => setWanted(true)} />;
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <OpenMenu {...props} />
    </Suspense>
  );
}
