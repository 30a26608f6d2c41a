import { toast } from "../../state/toasts.ts";

const isPicture = ({ type }: File) => type.startsWith("image/");

/** A picture would vanish without a word; what is text in the same clipboard, such as a table, is taken. */
export function refusePictures(event: Pick<Event, "preventDefault">, data: DataTransfer | null): boolean {
  if (!data || ![...data.files].some(isPicture) || data.types.includes("text/plain")) return false;
  event.preventDefault();
  toast({
    kind: "refused",
    text: "Pictures cannot be kept here yet. Put it where it has an address and link to it: ![what it shows](https://…)",
  });
  return true;
}
