import type { TidyItem, TidyKind } from "../../contract/tidy/kinds.ts";

/** A finding that is kept as it is. `key`: what it is about. */
export type Kept = { kind: TidyKind; key: string; detail: string; kept_at: string };

/** What a key is about, as `keyOf` has made it. */
export const itemsOf = (key: string): TidyItem[] =>
  key
    .split(",")
    .map((name) => ({ type: name.startsWith("mem:") ? "memory" : "document", id: name.slice(4) }));
