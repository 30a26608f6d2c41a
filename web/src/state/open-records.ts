import { memoriesApi } from "../api/memories.ts";
import { OPEN_RECORDS } from "./copied-lists.ts";
import { dropCopiesFrom, keepAnswer, keepsWhatIsRead, keptAt } from "./copies.ts";

// Copies all open records to this device, including unread ones, up to a thousand per status.

const PAGE = 100;
const MOST_PAGES = 10;
/** Time between two refreshes. */
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

/** Does nothing if the last refresh is less than an hour old. Throws ApiError. */
export async function keepOpenRecords(): Promise<void> {
  const at = await keptAt(nameOf("active", 0));
  if (!keepsWhatIsRead() || Date.now() - (at ?? 0) < EVERY_MS) return;
  await keep("active");
  await keep("deferred");
}
