/** Takes the files of what is pasted or dropped; where there is text as well, such as that of a table, it is text. */
export function takeFiles(
  event: Pick<Event, "preventDefault">,
  data: DataTransfer | null,
  take: (files: File[]) => void,
): boolean {
  if (!data || data.files.length === 0 || data.types.includes("text/plain")) return false;
  event.preventDefault();
  take([...data.files]);
  return true;
}
