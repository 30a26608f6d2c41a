import { useEffect, useRef } from "react";
import { useLocation, useSearch } from "wouter";
import { screenAt, screenPath } from "../../../src/contract/paths.ts";
import { newDocumentUrl, parseDocumentsView } from "../features/documents/view.ts";
import { currentProject } from "../features/things/project-path.ts";
import { Plus } from "../kit/icons.tsx";
import { showOverlay } from "../state/overlay.ts";
import styles from "./add-button.module.css";

const HOLD_MS = 500;

/** What is added on a screen, as with the key `n`: a document beside documents, elsewhere a record. */
function newItem(path: string, search: string): { name: string; href: string } {
  const screen = screenAt(path);
  if (screen === "documents")
    return { name: "Add document", href: newDocumentUrl(parseDocumentsView(search)) };
  if (screen === "document") return { name: "Add document", href: screenPath("document", "new") };
  const project = currentProject();
  const words = project === undefined ? "" : `=${encodeURIComponent(`+"${project}" `)}`;
  const place = screen === "records" || screen === "project" ? screenPath("records") : screenPath("today");
  return { name: "Add record", href: `${place}?new${words}` };
}

/** Calls `hold` when the button is held. Returns handlers, and whether the press that just ended was such a one. */
function useLongPress(hold: () => void) {
  const press = useRef<{ timer?: ReturnType<typeof setTimeout>; isHeld: boolean }>({ isHeld: false });
  const end = () => clearTimeout(press.current.timer);
  useEffect(() => () => clearTimeout(press.current.timer), []);
  const take = () => {
    end();
    press.current.isHeld = true;
    hold();
  };
  return {
    wasHeld: () => press.current.isHeld,
    handlers: {
      onPointerDown: () => {
        end();
        press.current = { timer: setTimeout(take, HOLD_MS), isHeld: false };
      },
      onPointerUp: end,
      onPointerLeave: end,
      onPointerCancel: end,
      // Browsers of Android report a long press in this way too.
      onContextMenu: (event: { preventDefault: () => void }) => {
        event.preventDefault();
        take();
      },
    },
  };
}

/** The round button of a phone: adds an item; held, it opens the palette. */
export default function AddButton() {
  const [path, navigate] = useLocation();
  const { name, href } = newItem(path, useSearch());
  const { wasHeld, handlers } = useLongPress(() => showOverlay("palette"));
  return (
    <button
      type="button"
      className={styles.add}
      aria-label={name}
      aria-description="Hold to search or run a command"
      {...handlers}
      // The keyboard and screen readers press without a pointer.
      onClick={({ detail }) => (detail === 0 || !wasHeld()) && navigate(href)}
    >
      <Plus />
    </button>
  );
}
