import { type AccountFiles, importAccount } from "../../src/contract/import/account.ts";
import { type Account, connect } from "../common/client.ts";
import { progressOf } from "../common/progress.ts";
import { showWait } from "../common/show-wait.ts";

export type AccountResult = Awaited<ReturnType<typeof importAccount>>;

/** Imports a whole account into another one. Repeating it is safe: existing items are not changed. */
export async function runAccount(whole: AccountFiles, account: Account): Promise<AccountResult> {
  const client = await connect(account, showWait);
  const { show, end } = progressOf("Uploading files");
  try {
    return await importAccount(client, whole, show);
  } finally {
    end();
    await client.end();
  }
}
