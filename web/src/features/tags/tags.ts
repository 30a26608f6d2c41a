import { useQuery } from "@tanstack/react-query";
import { type Tag, tagsApi } from "../../api/tags.ts";
import { orCopy } from "../../state/copies.ts";

const PAGE = 100;
/** More tags than anybody chooses from; the rest can still be typed. */
const MOST = 1000;

async function readTags(): Promise<Tag[]> {
  const from = (offset: number) => tagsApi.list({ limit: PAGE, offset });
  const { items, total } = await from(0);
  const pages = Math.ceil(Math.min(total, MOST) / PAGE);
  const rest = await Promise.all(
    Array.from({ length: Math.max(0, pages - 1) }, (_, page) => from((page + 1) * PAGE)),
  );
  return [...items, ...rest.flatMap((page) => page.items)];
}

/** The tags of the account's documents, with how many have them. */
export const useTags = () =>
  useQuery({ queryKey: ["tags", "all"], queryFn: (asking) => orCopy("/api/tags", readTags, asking) });
