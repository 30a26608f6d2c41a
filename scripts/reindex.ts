import { Command } from "commander";
import type { ReindexAnswer } from "../src/search/schema.ts";
import { type AccountOptions, accountOf, withAccountOptions } from "./import/account.ts";
import { connect } from "./import/client.ts";
import { messageOf } from "./import/item.ts";
import { progressOf, showWait } from "./import/progress.ts";

// `npm run reindex`: writes the search index anew, after a change of the analysis or when it is in doubt.

type Options = AccountOptions & { all: boolean };

const command = withAccountOptions(
  new Command("npm run reindex --").description(
    "Indexes again what an older version wrote, as the admin. Stop and repeat it whenever you like.",
  ),
).option("--all", "begin anew with every entry", false);

async function main(): Promise<void> {
  const { all, ...options } = command.parse().opts<Options>();
  const { send, end } = await connect(await accountOf(options, "Commonplace reindex"), showWait);
  const step = (body: { all: boolean }) =>
    send<ReindexAnswer>({ method: "POST", path: "/api/search/reindex", body });
  const progress = progressOf("Indexing");
  let done = 0;
  try {
    for (let last = await step({ all }); ; last = await step({ all: false })) {
      done += last.indexed;
      progress.show(done, done + last.remaining);
      if (last.remaining === 0) break;
    }
  } finally {
    progress.end();
    await end();
  }
  console.log(`${done} entries indexed, none left`);
}

main().catch((problem: unknown) => {
  console.error(messageOf(problem));
  process.exitCode = 1;
});
