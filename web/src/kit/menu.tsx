import { lazy, Suspense, useState } from "react";
import { type ActionMenuProps, MenuButton } from "./menu-button.tsx";

const OpenMenu = lazy(() => import("./menu-open.tsx"));

/** A button with three dots that opens a menu of actions. */
export function ActionMenu(props: ActionMenuProps) {
  const [isOpened, setOpened] = useState(false);
  const button = <MenuButton label={props.label} onPress={() => setOpened(true)} />;
  if (!isOpened) return button;
  return (
    <Suspense fallback={button}>
      <OpenMenu {...props} />
    </Suspense>
  );
}
