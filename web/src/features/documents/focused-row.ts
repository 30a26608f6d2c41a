/** The id of the focused row. */
export const focusedRow = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>("[data-key]")?.dataset.key;

/** Moves the focus like an arrow key would, or into the list if it is elsewhere. */
export function moveInRows(key: "ArrowDown" | "ArrowUp"): void {
  const id = focusedRow();
  const row = id && document.querySelector(`[role=grid] [role=row][data-key="${id}"]`);
  if (row) row.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  else document.querySelector<HTMLElement>("#main [role=grid] [role=row]")?.focus();
}

/** The row that had the focus when the full list replaced the first rows. */
let left: string | undefined;

export function leaveFocus(id: string | undefined): void {
  left = id;
}

/** Returns that row once. */
export function takeFocus(): string | undefined {
  const id = left;
  left = undefined;
  return id;
}
