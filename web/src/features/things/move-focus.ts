import type { KeyboardEvent } from "react";

const STEPS: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** Moves the focus along a list's links with the arrow keys or j and k, and from the first link to the search field. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("a")];
  const index = links.indexOf(document.activeElement as HTMLElement);
  if (step === undefined || index < 0 || event.metaKey || event.ctrlKey || event.altKey) return;
  event.preventDefault();
  if (index + step < 0) document.querySelector<HTMLElement>("#main input[type=search]")?.focus();
  else links[index + step]?.focus();
}
