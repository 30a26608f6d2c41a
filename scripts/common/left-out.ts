import { bindingOf } from "../../src/contract/homes.ts";
import type { Source } from "./source.ts";

/**
 * Throws if the address book of the first shard has users in a shard that is not in the list, because those users
 * could not sign in.
 */
export async function refuseLeftOut(first: Source, homes: { binding: string }[]): Promise<void> {
  const [book] = await first.query("SELECT 1 FROM sqlite_schema WHERE name = 'address_book'");
  if (!book) return;
  const rows = await first.query(
    "SELECT home, count(*) AS users FROM address_book WHERE state = 'settled' GROUP BY home",
  );
  const left = rows.find(({ home }) => !homes.some(({ binding }) => binding === bindingOf(Number(home))));
  if (!left) return;
  const missing = bindingOf(Number(left.home));
  const users = left.users === 1 ? "1 user is" : `${left.users} users are`;
  throw new Error(
    `HOMES leaves out ${missing}, but ${users} there. Put it back, as in DB=weur:open, ${missing}=weur:closed: ` +
      "a closed home takes no new users. You can leave it out once it has no users: see `npm run homes -- list`",
  );
}
