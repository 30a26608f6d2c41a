import type { User } from "./account.ts";
import { get } from "./client.ts";
import type { Folder } from "./folders.ts";

// Download URLs. Each resolves only after a request has succeeded, because the browser would save an error response as the file.

export const exportApi = {
  everythingUrl: () => get<User>("/api/auth/me").then(() => "/api/export?format=zip"),
  /** All documents as a zip of Markdown. */
  documentsUrl: () => get<User>("/api/auth/me").then(() => "/api/export/markdown"),
  /** The documents of a folder and its subfolders. */
  folderUrl: (id: string) =>
    get<Folder>(`/api/folders/${id}`).then(() => `/api/export/markdown?folder_id=${id}`),
};

/** The server's time, to the second: this device's clock may be wrong. */
export async function serviceTime(): Promise<Date> {
  const answer = await fetch("/health").catch(() => undefined);
  return new Date(answer?.headers.get("Date") ?? Date.now());
}
