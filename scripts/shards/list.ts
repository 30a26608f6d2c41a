import { FULL_SHARD_BYTES } from "../../src/contract/placement.ts";
import { FIRST_SHARD } from "../../src/contract/shard.ts";
import { listEarliestSizes } from "../../src/platform/shards/address-directory-store.ts";
import { listAppliedMigrations } from "../common/backup-folder.ts";
import type { Databases } from "../common/databases.ts";
import { createDatabasesCommand } from "./command.ts";

const MB = 1_000_000;
const formatSize = (bytes: number) => `${(bytes / MB).toFixed(1)} MB`;

const DAY_MS = 86_400_000;

/** The earliest sizes of the databases in the last 30 days, as far as the cron handler has recorded them. */
async function formerSizes({ base }: Databases) {
  const sizes = await listEarliestSizes(await base(FIRST_SHARD)).catch(() => []);
  return new Map(sizes.map(({ number, ...size }) => [number, size]));
}

/** How much a database has grown and in how many days; empty without a size of an earlier day. */
function growthText(bytes: number, former: { day: string; bytes: number } | undefined): string {
  const days = former ? Math.floor((Date.now() - Date.parse(former.day)) / DAY_MS) : 0;
  if (!former || days === 0) return "";
  const grown = bytes - former.bytes;
  return `${grown < 0 ? "" : "+"}${formatSize(grown)} in ${days} ${days === 1 ? "day" : "days"}`;
}

/** The number of users of a shard, including closed accounts. */
async function countUsers({ database }: Databases, shard: number): Promise<number> {
  const [row] = await (await database(shard)).query(
    "SELECT count(*) AS users FROM users WHERE deleted_at IS NULL",
  );
  return Number(row?.users);
}

export const listCommand = createDatabasesCommand(
  "list",
  "shows the users, the size, the growth and the schema of each home, and whether it takes new users",
  async (databases) => {
    const former = await formerSizes(databases);
    const rows = databases.shards.map(async ({ number, binding, region, isOpen }) => {
      const [bytes, target] = [await databases.size(number), await databases.database(number)];
      const migrations = (await listAppliedMigrations(target)).sort();
      return {
        home: binding,
        region: region ?? "",
        "new users": bytes >= FULL_SHARD_BYTES ? "full" : isOpen ? "open" : "closed",
        users: migrations.length > 0 ? await countUsers(databases, number) : "",
        size: formatSize(bytes),
        growth: growthText(bytes, former.get(number)),
        schema: migrations.at(-1) ?? "none: npm run migrate",
      };
    });
    console.table(await Promise.all(rows));
  },
);
