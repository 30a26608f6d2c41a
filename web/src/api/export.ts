import type { User } from "./account.ts";
import { get } from "./ask.ts";
import type { Folder } from "./folders.ts";

// Addresses of files, each once it is known that there will be one: a browser would save a refusal as if it were the file.

export const exportApi = {
  everything: () => get<User>("/api/auth/me").then(() => "/api/export?format=zip"),
  /** All documents as a zip of Markdown. */
  documents: () => get<User>("/api/auth/me").then(() => "/api/export/markdown"),
  /** The documents of a folder and of those in it. */
  folder: (id: string) =>
    get<Folder>(`/api/folders/${id}`).then(() => `/api/export/markdown?folder_id=${id}`),
};

/** The service's own time, to the second: this device's clock may be fast. */
export async function serviceTime(): Promise<Date> {
  const answer = await fetch("/health").catch(() => undefined);
  return new Date(answer?.headers.get("Date") ?? Date.now());
}
