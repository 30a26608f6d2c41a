import { Command } from "commander";
import type { ReindexAnswer } from "../src/search/schema.ts";
import { type AccountOptions, accountOf, withAccountOptions } from "./import/account.ts";
import { connect } from "./import/client.ts";
import { messageOf } from "./import/item.ts";
import { progressOf, showWait } from "./import/progress.ts";

// `npm run reindex`: rebuilds the search index, after a change of the analysis or if it may be damaged.

type Options = AccountOptions & { all: boolean };

const command = withAccountOptions(
  new Command("npm run reindex --").description(
    "Reindexes what an older version wrote. Needs the admin's account. You can stop and repeat it at any time.",
  ),
).option("--all", "reindex every entry, from the beginning", false);

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
