/** Takes pasted or dropped files. If there is text as well, as from a spreadsheet, the text is used. */
export function takeTransferredFiles(
  event: Pick<Event, "preventDefault">,
  data: DataTransfer | null,
  take: (files: File[]) => void,
): boolean {
  if (!data || data.files.length === 0 || data.types.includes("text/plain")) return false;
  event.preventDefault();
  take([...data.files]);
  return true;
}
