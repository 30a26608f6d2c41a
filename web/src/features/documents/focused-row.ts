export const focusedRowId = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>("[data-key]")?.dataset.key;

/** Moves the focus like an arrow key would, or into the list if it is elsewhere. */
export function moveRowFocus(key: "ArrowDown" | "ArrowUp"): void {
  const id = focusedRowId();
  const row = id && document.querySelector(`[role=grid] [role=row][data-key="${id}"]`);
  if (row) row.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  else document.querySelector<HTMLElement>("#main [role=grid] [role=row]")?.focus();
}

/** The row that had the focus when the full list replaced the first rows. */
let rememberedRow: string | undefined;

export function rememberRow(id: string | undefined): void {
  rememberedRow = id;
}

/** Returns that row once. */
export function takeRememberedRow(): string | undefined {
  const id = rememberedRow;
  rememberedRow = undefined;
  return id;
}
