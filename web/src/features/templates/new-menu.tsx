import { lazy, Suspense, useState } from "react";
import { ChevronDown } from "../../kit/icons.tsx";
import { MenuButton } from "../../kit/menu-button.tsx";

const OpenNewMenu = lazy(() => import("./new-menu-open.tsx"));

export const NEW_MENU_LABEL = "Today’s note and templates";

/** Other ways to create a document, next to the button for an empty one. */
export function NewMenu({ folder }: { folder: string | undefined }) {
  const [isWanted, setWanted] = useState(false);
  const button = <MenuButton label={NEW_MENU_LABEL} icon={ChevronDown} onPress={() => setWanted(true)} />;
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <OpenNewMenu label={NEW_MENU_LABEL} folder={folder} />
    </Suspense>
  );
}
