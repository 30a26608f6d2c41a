import { pathOf } from "../../../src/contract/paths.ts";

// Between a step that leads to a text and its editor there are scripts to load and a screen to draw. What is typed meanwhile
// goes into a field off the screen, from which the editor takes it. And a phone shows its keyboard only for a field that gets
// the focus within the step itself.

let field: HTMLTextAreaElement | undefined;

const NEW = pathOf("document", "new");

/** Whether the address leads to the field for a new record: `?new`, see quick-entry.tsx. */
const isRecord = () => new URLSearchParams(location.search).has("new");

/** The text that the address is about to show for writing; undefined if it shows none. */
function writtenHere(): string | undefined {
  const { pathname, search } = location;
  const query = new URLSearchParams(search);
  const isWritten = pathname === NEW || query.has("edit") || isRecord();
  return isWritten ? `${pathname}?${query.get("draft") ?? ""}` : undefined;
}

let written: string | undefined;

/** What was typed since the step that led to a text, and nothing from then on. */
export function takeTyped(): string {
  const typed = field?.value ?? "";
  field?.remove();
  field = undefined;
  return typed;
}

/** What the cursor is going to be in. */
function labelHere(): string {
  if (isRecord()) return "New record";
  return location.pathname === NEW && !new URLSearchParams(location.search).has("template")
    ? "Title"
    : "Text";
}

function take(): void {
  field = document.createElement("textarea");
  field.className = "visually-hidden";
  field.ariaLabel = labelHere();
  // Or the palette, which is still open, would take the focus back.
  field.dataset.reactAriaTopLayer = "true";
  document.body.append(field);
  field.focus({ preventScroll: true });
}

function follow({ type }: Event): void {
  const before = written;
  written = writtenHere();
  if (!written) return void takeTyped();
  // Another address for what is shown already, in which one goes on writing.
  const isShown = type === "replaceState" && document.querySelector("[data-writing]") !== null;
  if (!field && !isShown && written !== before) take();
}

// `main.tsx` imports this; the router tells of its own steps by these events.
for (const step of ["pushState", "replaceState", "popstate"]) addEventListener(step, follow);
