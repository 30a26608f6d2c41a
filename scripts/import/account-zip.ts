import { type AccountExport, importAccount } from "../../src/shared/import/account.ts";
import { type AccountLogin, signInClient } from "../common/client.ts";
import { createProgress } from "../common/progress.ts";
import { showWait } from "../common/show-wait.ts";

export type AccountImportResult = Awaited<ReturnType<typeof importAccount>>;

/** Imports a whole account into another one. Repeating it is safe: existing items are not changed. */
export async function importAccountFiles(
  whole: AccountExport,
  account: AccountLogin,
): Promise<AccountImportResult> {
  const client = await signInClient(account, showWait);
  const { show, end } = createProgress("Uploading files");
  try {
    return await importAccount(client, whole, show);
  } finally {
    end();
    await client.end();
  }
}
