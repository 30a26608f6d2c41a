/** The id of the row that has the focus. */
export const focusedRow = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>("[data-key]")?.dataset.key;

/** Moves the focus on to another row as an arrow key does, or into the list. */
export function moveInRows(key: "ArrowDown" | "ArrowUp"): void {
  const id = focusedRow();
  const row = id && document.querySelector(`[role=grid] [role=row][data-key="${id}"]`);
  if (row) row.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  else document.querySelector<HTMLElement>("#main [role=grid] [role=row]")?.focus();
}

/** The row whose link had the focus when the list with all that it can do took the place of the first rows. */
let left: string | undefined;

export function leaveFocus(id: string | undefined): void {
  left = id;
}

/** That row, once. */
export function takeFocus(): string | undefined {
  const id = left;
  left = undefined;
  return id;
}
