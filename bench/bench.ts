import { Argument, Command } from "commander";
import { temporaryFolder } from "../test/e2e/service.ts";
import { atEnd, undoneAtEnd } from "./at-end.ts";
import { benchBundle } from "./bundle.ts";
import { checkOut, here } from "./copies.ts";
import { benchDashboard } from "./dashboard.ts";
import type { Rounds } from "./load.ts";
import { benchRequests } from "./requests.ts";
import { benchTenancy } from "./tenancy.ts";

// `npm run bench`: every figure of the README, measured on this machine in one run.

const PARTS = ["requests", "bundle", "tenancy", "dashboard"] as const;
type Part = (typeof PARTS)[number];

type Options = { against?: string; tenants: number } & Rounds;

async function bench(parts: Part[], { against, tenants, ...rounds }: Options): Promise<void> {
  const folder = await temporaryFolder();
  atEnd(folder.remove);
  const run: Record<Part, () => Promise<void>> = {
    requests: async () => {
      if (against) console.log(`Installing ${against}…`);
      const before = against ? [await checkOut(against)] : [];
      await benchRequests([...before, here], `${folder.path}/requests`, rounds);
    },
    bundle: async () => benchBundle(folder.path),
    tenancy: () => benchTenancy(`${folder.path}/tenancy`, tenants),
    dashboard: async () => console.table(await benchDashboard()),
  };
  const began = performance.now();
  for (const part of PARTS) if (parts.length === 0 || parts.includes(part)) await run[part]();
  console.log(`\nMeasured in ${((performance.now() - began) / 60_000).toFixed(1)} minutes.`);
}

const program = new Command("bench")
  .addArgument(new Argument("[parts...]", "only these").choices(PARTS))
  .option(
    "--against <ref>",
    "also measure another commit in the same run (some minutes more), and print ratios",
  )
  .option("--rounds <n>", "how often each kind of request has its turn", Number, 3)
  .option("--tenants <n>", "among how many tenants one searches", Number, 100)
  .option("--seconds <n>", "how long a turn takes", Number, 1)
  .action((parts: Part[], options: Options) => undoneAtEnd(() => bench(parts, options)));
await program.parseAsync();
