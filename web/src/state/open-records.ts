import { memoriesApi } from "../api/memories.ts";
import { OPEN_RECORDS } from "./copied-lists.ts";
import { dropCopiesFrom, keepAnswer, keepsWhatIsRead, keptAt } from "./copies.ts";

// All open records are on this device, also those that nobody has looked at, up to a thousand of each status.

const PAGE = 100;
const MOST_PAGES = 10;
/** They are read again after so long. */
const EVERY_MS = 3_600_000;

const nameOf = (status: string, page: number) => `${OPEN_RECORDS}${status}&${page}`;

async function keep(status: "active" | "deferred"): Promise<void> {
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await memoriesApi.list({ status, limit: PAGE, offset: page * PAGE });
    keepAnswer(nameOf(status, page), answer);
    if ((page + 1) * PAGE < answer.total) continue;
    const later = Array.from({ length: MOST_PAGES - page - 1 }, (_, more) => nameOf(status, page + 1 + more));
    return dropCopiesFrom(later);
  }
}

/** Reads them, unless that was done within the hour. Throws ApiError. */
export async function keepOpenRecords(): Promise<void> {
  const at = await keptAt(nameOf("active", 0));
  if (!keepsWhatIsRead() || Date.now() - (at ?? 0) < EVERY_MS) return;
  await keep("active");
  await keep("deferred");
}
