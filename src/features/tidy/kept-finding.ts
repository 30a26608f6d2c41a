import type { TidyItem, TidyKind } from "../../contract/tidy-kinds.ts";

/** A finding that is kept as it is. `key`: the items that it is about, as `findingKey` writes them. */
export type KeptFinding = { kind: TidyKind; key: string; detail: string; kept_at: string };

export const parseFindingKey = (key: string): TidyItem[] =>
  key
    .split(",")
    .map((name) => ({ type: name.startsWith("mem:") ? "memory" : "document", id: name.slice(4) }));
