import { Command } from "commander";
import type { z } from "zod";
import type { Health } from "../src/contract/health.ts";
import type { ReindexAnswer } from "../src/contract/search.ts";
import { errorMessage } from "../src/shared/import/item.ts";
import { signInClient } from "./common/client.ts";
import { createProgress } from "./common/progress.ts";
import { RetriesExhausted } from "./common/retry.ts";
import { showWait } from "./common/show-wait.ts";
import { type AccountOptions, accountFromOptions, withAccountOptions } from "./import/account.ts";

// `npm run reindex`: rebuilds the search index after a change of the text analysis, or if it may be damaged.

type Options = AccountOptions & { all: boolean };

const command = withAccountOptions(
  new Command("npm run reindex --").description(
    "Reindexes entries that an older version wrote. Needs the admin's account. You can stop it and run it again at any time.",
  ),
).option("--all", "reindex every entry, from the beginning", false);

type StepRequest = { all: boolean; home?: number };

/** Reindexes one database. Returns the number of entries written. */
async function reindex(step: (options: { all: boolean }) => Promise<ReindexAnswer>, all: boolean) {
  const progress = createProgress("Indexing");
  let done = 0;
  try {
    for (let last = await step({ all }); ; last = await step({ all: false })) {
      done += last.indexed;
      progress.show(done, done + last.remaining);
      if (last.remaining === 0) return done;
    }
  } finally {
    progress.end();
  }
}

async function main(): Promise<void> {
  const { all, ...options } = command.parse().opts<Options>();
  const { send, end } = await signInClient(
    await accountFromOptions(options, "Commonplace reindex"),
    showWait,
  );
  const step = (body: StepRequest) =>
    send<ReindexAnswer>({ method: "POST", path: "/api/search/reindex", body });
  const { homes = [] } = await send<z.infer<typeof Health>>({ method: "GET", path: "/health?deep" });
  // With a single database, the requests name none.
  const targets = homes.length > 1 ? homes.map(({ home }) => ({ home })) : [{}];
  let done = 0;
  try {
    for (const target of targets) done += await reindex((options) => step({ ...options, ...target }), all);
  } finally {
    await end();
  }
  console.log(`${done} entries indexed, none left`);
}

main().catch((problem: unknown) => {
  const hint =
    problem instanceof RetriesExhausted ? ". Run the command again without --all to continue from here" : "";
  console.error(errorMessage(problem) + hint);
  process.exitCode = 1;
});
