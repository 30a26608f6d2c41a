import type { User } from "./account.ts";
import { get } from "./ask.ts";

export const exportApi = {
  /**
   * The address of the export, once the session is known to be good: a browser would save a refusal as if it were the
   * export.
   */
  address: () => get<User>("/api/auth/me").then(() => "/api/export"),
};

/** The service's own time, to the second: this device's clock may be fast. */
export async function serviceTime(): Promise<Date> {
  const answer = await fetch("/health").catch(() => undefined);
  return new Date(answer?.headers.get("Date") ?? Date.now());
}
