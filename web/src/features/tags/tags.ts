import { useQuery } from "@tanstack/react-query";
import { type Tag, tagsApi } from "../../api/tags.ts";
import { fetchOrCopy } from "../../state/copies.ts";

const PAGE = 100;
/** Enough to choose from; other tags can still be typed. */
const MAX_TAGS = 1000;

async function readTags(): Promise<Tag[]> {
  const readPage = (offset: number) => tagsApi.list({ limit: PAGE, offset });
  const { items, total } = await readPage(0);
  const pages = Math.ceil(Math.min(total, MAX_TAGS) / PAGE);
  const rest = await Promise.all(
    Array.from({ length: Math.max(0, pages - 1) }, (_, page) => readPage((page + 1) * PAGE)),
  );
  return [...items, ...rest.flatMap((page) => page.items)];
}

/** The tags of the account's documents, each with its number of documents. */
export const useTagChoices = () =>
  useQuery({ queryKey: ["tags", "all"], queryFn: (context) => fetchOrCopy("/api/tags", readTags, context) });
