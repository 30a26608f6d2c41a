import { Argument, Command } from "commander";
import { temporaryFolder } from "../test/e2e/service.ts";
import { atEnd, type Copy, checkOut, here, undoneAtEnd } from "./copies.ts";
import { benchBlocking, benchFloods } from "./floods.ts";
import { benchBundle, benchHouse } from "./house.ts";
import { benchJobs } from "./jobs.ts";
import { benchMemory } from "./memory.ts";
import { benchDashboard, benchRequests, type Rounds } from "./requests.ts";
import { benchFit, benchSearch } from "./search.ts";
import { benchLoad, benchSoak } from "./soak.ts";
import { benchWeb } from "./web.ts";

// `npm run bench`: measures the figures of docs/costs.md in one run, and those of the code (`house`).

type Options = {
  against?: string;
  collections?: string[];
  sample: number;
  slips: boolean;
  tenants: number;
  documents: number;
  only?: string;
  minutes: number;
  hours?: number;
  rate?: number;
} & Rounds;

/** A part returns false if a limit was exceeded. */
type Part = (copies: Copy[], stateDir: string, options: Options) => unknown;

const PARTS: Record<string, Part> = {
  requests: benchRequests,
  search: benchSearch,
  bundle: (_, folder) => benchBundle(folder),
  dashboard: (_, folder) => benchDashboard(folder),
  memory: (_, folder) => benchMemory(folder),
  blocking: (copies, folder, { only }) => benchBlocking(copies, folder, only),
  floods: (copies, folder, { only }) => benchFloods(copies, folder, only),
  web: (copies, folder, { only }) => benchWeb(copies, folder, only),
  house: (_, folder) => benchHouse(folder),
};

/** Parts that run only when they are named, because they take long or need arguments. */
const NAMED_PARTS: Record<string, Part> = {
  load: (_, folder, { only }) => benchLoad(folder, only),
  jobs: (_, folder, { documents, only }) => benchJobs(folder, documents, only),
  soak: (_, folder, { minutes, hours, rate }) => benchSoak(folder, hours ? hours * 60 : minutes, rate),
  fit: (_copies, _folder, { collections, sample }) => {
    if (!collections) throw new Error("Name the folders of the collections: npm run bench:fit -- <folder> …");
    return benchFit(collections, sample);
  },
};

const ALL_PARTS = { ...PARTS, ...NAMED_PARTS };

async function bench(names: string[], options: Options): Promise<void> {
  const folder = await temporaryFolder();
  atEnd(folder.remove);
  const began = performance.now();
  if (options.against) console.log(`Installing ${options.against}…`);
  const copies = [...(options.against ? [await checkOut(options.against)] : []), here];
  for (const name of names.length > 0 ? names : Object.keys(PARTS))
    if ((await ALL_PARTS[name]?.(copies, `${folder.path}/${name}`, options)) === false) process.exitCode = 1;
  console.log(`\nMeasured in ${((performance.now() - began) / 60_000).toFixed(1)} minutes.`);
}

await new Command("bench")
  .addArgument(new Argument("[parts...]", "measure only these").choices(Object.keys(ALL_PARTS)))
  .option(
    "--against <ref>",
    "also measure another commit in the same run (some minutes more), and print ratios: " +
      "`requests`, `search`, `blocking`, `floods` and `web`",
  )
  .option("--only <pattern>", "of most parts, only what has a name that matches this")
  .option("--rounds <n>", "how many turns each kind of request gets", Number, 3)
  .option("--seconds <n>", "the length of a turn in seconds", Number, 1)
  .option(
    // Not <folders...>, which would read `--help` after it as a folder.
    "--collections [folders...]",
    "for `search` and `fit`: folders with docs.jsonl, queries.jsonl and qrels.tsv",
  )
  .option("--sample <n>", "only so many of a collection's queries", Number, Number.MAX_SAFE_INTEGER)
  .option(
    "--slips",
    "`search` also for three words of each query, and for all, as they are and with one typing error",
    false,
  )
  .option("--tenants <n>", "`search` also beside so many tenants with the same documents", Number, 0)
  .option("--documents <n>", "how many documents `jobs` works on", Number, 100_000)
  .option("--minutes <n>", "how long `soak` takes", Number, 20)
  .option("--hours <n>", "the same in hours", Number)
  .option("--rate <n>", "how many requests `soak` sends in a second, if not half of what is held", Number)
  .action((names: string[], { collections, ...options }: Options & { collections: unknown }) =>
    undoneAtEnd(() => bench(names, Array.isArray(collections) ? { ...options, collections } : options)),
  )
  .parseAsync();
