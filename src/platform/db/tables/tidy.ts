import { integer, text } from "drizzle-orm/sqlite-core";
import { TIDY_KINDS } from "../../../contract/tidy-kinds.ts";
import { keyedTable } from "./keyed-table.ts";

export const tidy_looks = keyedTable("tidy_looks", ["owner", "part"], {
  owner: integer().notNull(),
  part: text().notNull(),
  value: text().notNull(),
});

export const tidy_kept = keyedTable("tidy_kept", ["owner", "kind", "key"], {
  owner: integer().notNull(),
  kind: text({ enum: TIDY_KINDS }).notNull(),
  key: text().notNull(),
  detail: text().notNull(),
  kept_at: text().notNull(),
});
