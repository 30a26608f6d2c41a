import { useQuery } from "@tanstack/react-query";
import { type Tag, tagsApi } from "../../api/tags.ts";
import { orCopy } from "../../state/copies.ts";

const PAGE = 100;
/** More tags than anybody chooses from; the rest can still be typed. */
const MOST = 1000;

async function readTags(): Promise<Tag[]> {
  const all: Tag[] = [];
  for (;;) {
    const { items, total } = await tagsApi.list({ limit: PAGE, offset: all.length });
    all.push(...items);
    if (all.length >= Math.min(total, MOST) || items.length === 0) return all;
  }
}

/** The tags of the account's documents, with how many have them. */
export const useTags = () =>
  useQuery({ queryKey: ["tags", "all"], queryFn: (asking) => orCopy("/api/tags", readTags, asking) });
