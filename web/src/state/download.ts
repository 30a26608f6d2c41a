import { toast } from "./toasts.ts";

/** Has the browser save what is at an address under the name that the service gives it, or says why not. */
export async function download(address: Promise<string>): Promise<void> {
  try {
    const link = Object.assign(document.createElement("a"), { href: await address, download: "" });
    link.click();
  } catch (problem) {
    toast({ kind: "refused", text: `Not downloaded: ${(problem as Error).message}` });
  }
}

/** Has the browser save bytes that are here. */
export function saveBytes(bytes: Blob, name: string): void {
  const address = URL.createObjectURL(bytes);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  // The browser has taken them by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
