import { useQuery } from "@tanstack/react-query";
import { type Tag, tagsApi } from "../../api/tags.ts";
import { fetchOrCopy } from "../../state/copies.ts";

const PAGE = 100;
/** Pages requested at the same time. */
const AT_ONCE = 6;

async function readTags(): Promise<Tag[]> {
  const readPage = (offset: number) => tagsApi.list({ limit: PAGE, offset });
  const { items, total } = await readPage(0);
  const tags = [...items];
  for (let start = PAGE; start < total; start += AT_ONCE * PAGE) {
    const offsets = Array.from({ length: AT_ONCE }, (_, page) => start + page * PAGE);
    const pages = await Promise.all(offsets.filter((offset) => offset < total).map(readPage));
    tags.push(...pages.flatMap((page) => page.items));
  }
  return tags;
}

/** The tags of the account's documents, each with its number of documents. */
export const useTagChoices = () =>
  useQuery({ queryKey: ["tags", "all"], queryFn: (context) => fetchOrCopy("/api/tags", readTags, context) });
