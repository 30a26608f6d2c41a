import { Command, Option } from "commander";
import type { ReindexAnswer } from "../src/search/schema.ts";
import { ask } from "./import/ask.ts";
import { connect } from "./import/client.ts";
import { messageOf } from "./import/item.ts";
import { progressOf } from "./import/progress.ts";

// `npm run reindex`: writes the search index anew, after a change of the analysis or when it is in doubt.

type Options = { url: string; email?: string; password?: string; all: boolean };

const command = new Command("npm run reindex --")
  .description("Indexes again what an older version wrote. Stop and repeat it whenever you like.")
  .addOption(
    new Option("--url <url>", "address of the API").env("COMMONPLACE_URL").default("http://localhost:8000"),
  )
  .addOption(new Option("--email <email>", "the admin's account").env("COMMONPLACE_EMAIL"))
  .addOption(new Option("--password <password>", "its password").env("COMMONPLACE_PASSWORD"))
  .option("--all", "begin anew with every entry", false);

async function main(): Promise<void> {
  const { url, all, ...given } = command.parse().opts<Options>();
  const email = given.email ?? (await ask("E-mail"));
  const password = given.password ?? (await ask("Password", true));
  const { send } = await connect({ url, email, password });
  const step = (body: { all: boolean }) =>
    send<ReindexAnswer>({ method: "POST", path: "/api/search/reindex", body });
  const progress = progressOf("Indexing");
  let done = 0;
  let last = await step({ all });
  for (;;) {
    done += last.indexed;
    progress.show(done, done + last.remaining);
    if (last.remaining === 0) break;
    last = await step({ all: false });
  }
  progress.end();
  console.log(`${done} entries indexed, none is due`);
}

main().catch((problem: unknown) => {
  console.error(messageOf(problem));
  process.exitCode = 1;
});
