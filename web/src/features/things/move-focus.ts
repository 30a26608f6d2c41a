import type { KeyboardEvent } from "react";

const STEPS: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** Moves the focus along the links of a list with the arrow keys, or j and k. Above the first it goes to the search field. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("a")];
  const place = links.indexOf(document.activeElement as HTMLElement);
  if (step === undefined || place < 0 || event.metaKey || event.ctrlKey || event.altKey) return;
  event.preventDefault();
  if (place + step < 0) document.querySelector<HTMLElement>("#main input[type=search]")?.focus();
  else links[place + step]?.focus();
}
