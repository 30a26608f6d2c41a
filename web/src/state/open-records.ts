import { memoriesApi } from "../api/memories.ts";
import { OPEN_RECORDS_PREFIX } from "./cached-lists.ts";
import { copiedAt, deleteCopies, keepsReadAnswers, storeAnswer } from "./copies.ts";

// Copies all open records to this device, including unread ones, up to a thousand per status.

const PAGE = 100;
const MAX_PAGES = 10;
const REFRESH_MS = 3_600_000;

const copyName = (status: string, page: number) => `${OPEN_RECORDS_PREFIX}${status}&${page}`;

async function copyAll(status: "active" | "deferred"): Promise<void> {
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await memoriesApi.list({ status, limit: PAGE, offset: page * PAGE });
    storeAnswer(copyName(status, page), answer);
    if ((page + 1) * PAGE < answer.total) continue;
    const pages = Array.from({ length: MAX_PAGES }, (_, number) => copyName(status, number));
    return deleteCopies(pages.slice(page + 1));
  }
}

/** Does nothing if the last refresh is less than an hour old. Throws ApiError. */
export async function copyOpenRecords(): Promise<void> {
  const at = await copiedAt(copyName("active", 0));
  if (!keepsReadAnswers() || Date.now() - (at ?? 0) < REFRESH_MS) return;
  await copyAll("active");
  await copyAll("deferred");
}
