import { Argument, Command } from "commander";
import { temporaryFolder } from "../test/e2e/service.ts";
import { atEnd, undoneAtEnd } from "./at-end.ts";
import { benchBlocking } from "./blocking.ts";
import { benchBundle } from "./bundle.ts";
import { checkOut, here } from "./copies.ts";
import { benchDashboard } from "./dashboard.ts";
import { benchFloods } from "./floods.ts";
import { benchHomes } from "./homes.ts";
import { benchHouse } from "./house.ts";
import { benchLater } from "./later.ts";
import { benchLoad } from "./load.ts";
import { benchMemory } from "./memory.ts";
import { benchRequests } from "./requests.ts";
import { benchSoak } from "./soak.ts";
import type { Rounds } from "./speed.ts";
import { benchTenancy } from "./tenancy.ts";
import { benchTools } from "./tools.ts";
import { benchWeb } from "./web.ts";

// `npm run bench`: measures the figures of docs/costs.md in one run, and counts those of the code itself (`house`).

const PARTS = [
  "requests",
  "homes",
  "bundle",
  "tenancy",
  "dashboard",
  "memory",
  "blocking",
  "floods",
  "web",
  "house",
] as const;
/** Those that are measured only when they are named, because they take long. */
const LONG_PARTS = ["mcp", "load", "later", "soak"] as const;
const ALL_PARTS = [...PARTS, ...LONG_PARTS];
type Part = (typeof ALL_PARTS)[number];

type Options = {
  against?: string;
  tenants: number;
  documents: number;
  only?: string;
  minutes: number;
  hours?: number;
  rate?: number;
} & Rounds;

async function bench(parts: Part[], options: Options): Promise<void> {
  const { against, tenants, documents, only, minutes, hours, rate, ...rounds } = options;
  const folder = await temporaryFolder();
  atEnd(folder.remove);
  const compared = async () => {
    if (against) console.log(`Installing ${against}…`);
    return [...(against ? [await checkOut(against)] : []), here];
  };
  const run: Record<Part, () => Promise<void>> = {
    requests: async () => benchRequests(await compared(), `${folder.path}/requests`, { only, ...rounds }),
    homes: () => benchHomes(`${folder.path}/homes`),
    bundle: async () => benchBundle(folder.path),
    tenancy: () => benchTenancy(`${folder.path}/tenancy`, tenants),
    dashboard: async () => console.table(await benchDashboard()),
    memory: () => benchMemory(`${folder.path}/memory`),
    blocking: () => benchBlocking(`${folder.path}/blocking`, only),
    floods: async () => {
      if (!(await benchFloods(`${folder.path}/floods`, only))) process.exitCode = 1;
    },
    web: async () => benchWeb(await compared(), `${folder.path}/web`),
    house: () => benchHouse(`${folder.path}/house`),
    mcp: () => benchTools(`${folder.path}/mcp`, rounds),
    load: () => benchLoad(`${folder.path}/load`, only),
    later: async () => {
      if (!(await benchLater(`${folder.path}/later`, documents, only))) process.exitCode = 1;
    },
    soak: async () => {
      const length = { minutes: hours ? hours * 60 : minutes, perSecond: rate };
      if (!(await benchSoak(`${folder.path}/soak`, length))) process.exitCode = 1;
    },
  };
  const began = performance.now();
  for (const part of parts.length === 0 ? PARTS : ALL_PARTS)
    if (parts.length === 0 || parts.includes(part)) await run[part]();
  console.log(`\nMeasured in ${((performance.now() - began) / 60_000).toFixed(1)} minutes.`);
}

const program = new Command("bench")
  .addArgument(new Argument("[parts...]", "measure only these").choices(ALL_PARTS))
  .option(
    "--against <ref>",
    "also measure another commit in the same run (some minutes more), and print ratios",
  )
  .option("--rounds <n>", "how many turns each kind of request gets", Number, 3)
  .option("--tenants <n>", "how many tenants share the search index", Number, 100)
  .option("--documents <n>", "how many documents `later` works on", Number, 100_000)
  .option(
    "--only <pattern>",
    "of `requests`, `blocking`, `floods`, `load` and `later`, only those whose names match this",
  )
  .option("--seconds <n>", "the length of a turn in seconds", Number, 1)
  .option("--minutes <n>", "how long `soak` takes", Number, 20)
  .option("--hours <n>", "the same in hours", Number)
  .option("--rate <n>", "how many requests `soak` sends in a second, if not half of what is held", Number)
  .action((parts: Part[], options: Options) => undoneAtEnd(() => bench(parts, options)));
await program.parseAsync();
