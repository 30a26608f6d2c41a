import { screenPath } from "../../../src/contract/paths.ts";

// After navigating to an editor, its scripts load and its screen renders. Keys typed in the meantime go into an off-screen
// field, and the editor takes them from there. Also, phones show the keyboard only if a field gets the focus within the user's
// own action.

let field: HTMLTextAreaElement | undefined;

const NEW_DOCUMENT_PATH = screenPath("document", "new");

/** Whether the URL opens the field for a new record: `?new`, see quick-entry.tsx. */
const opensRecordField = () => new URLSearchParams(location.search).has("new");

/** Identifies the text that the URL opens for editing; undefined if none. */
function editTarget(): string | undefined {
  const { pathname, search } = location;
  const query = new URLSearchParams(search);
  const isWritten = pathname === NEW_DOCUMENT_PATH || query.has("edit") || opensRecordField();
  return isWritten ? `${pathname}?${query.get("draft") ?? ""}` : undefined;
}

let currentTarget: string | undefined;

let hasEscaped = false;

/** Returns what was typed since the navigation, and whether Escape was pressed. Stops collecting. */
export function takeTypedKeys(): { text: string; hasEscaped: boolean } {
  const typed = { text: field?.value ?? "", hasEscaped };
  field?.remove();
  field = undefined;
  hasEscaped = false;
  return typed;
}

/** The label of the field that will get the focus. */
function targetLabel(): string {
  if (opensRecordField()) return "New record";
  return location.pathname === NEW_DOCUMENT_PATH && !new URLSearchParams(location.search).has("template")
    ? "Title"
    : "Text";
}

function createField(): void {
  field = document.createElement("textarea");
  field.className = "visually-hidden";
  field.ariaLabel = targetLabel();
  // Otherwise the palette, which is still open, would take the focus back.
  field.dataset.reactAriaTopLayer = "true";
  document.body.append(field);
  field.focus({ preventScroll: true });
}

function handleKey({ key, isComposing }: KeyboardEvent): void {
  if (field && key === "Escape" && !isComposing) hasEscaped = true;
}

function handleNavigation({ type }: Event): void {
  const before = currentTarget;
  currentTarget = editTarget();
  if (!currentTarget) return void takeTypedKeys();
  // The URL changes while the same text stays open in the editor.
  const isShown = type === "replaceState" && document.querySelector("[data-writing]") !== null;
  if (!field && !isShown && currentTarget !== before) createField();
}

// The router dispatches pushState and replaceState events for its own navigation.
for (const step of ["pushState", "replaceState", "popstate"]) addEventListener(step, handleNavigation);
// The first listener of the page: the editor may be rendered, and take the keys, between two listeners of one event.
addEventListener("keydown", handleKey, { capture: true });
