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
