import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { TIDY_KINDS } from "../../../contract/tidy-kinds.ts";

export const tidy_looks = sqliteTable(
  "tidy_looks",
  {
    owner: integer().notNull(),
    part: text().notNull(),
    value: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.part] })],
);

export const tidy_kept = sqliteTable(
  "tidy_kept",
  {
    owner: integer().notNull(),
    kind: text({ enum: TIDY_KINDS }).notNull(),
    key: text().notNull(),
    detail: text().notNull(),
    kept_at: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.kind, table.key] })],
);
