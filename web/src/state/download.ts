import { toast } from "./toasts.ts";

/** Downloads a URL under the file name that the server gives it. Shows an error if the URL cannot be obtained. */
export async function download(url: Promise<string>): Promise<void> {
  try {
    const link = Object.assign(document.createElement("a"), { href: await url, download: "" });
    link.click();
  } catch (problem) {
    toast({ kind: "refused", text: `Download failed: ${(problem as Error).message}` });
  }
}

/** Lets the browser save bytes that are in memory. */
export function saveBytes(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes);
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  // The browser has read them by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
