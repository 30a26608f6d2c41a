import { Command } from "commander";
import { planLimits } from "../src/contract/plan-limits.ts";
import { planPrices } from "../src/contract/plan-prices.ts";
import { registrationState, startSetUp } from "../src/features/auth/registration-store.ts";
import { addressOf, registrationLink } from "./admin/links.ts";
import { type Cloudflare, ifFound, remoteDatabase, signIn } from "./common/cloudflare.ts";
import { baseOf } from "./common/d1.ts";
import { confirm } from "./deploy/confirm.ts";
import { findPending, migrateAll, type Pending, showBookmarks, stepOf } from "./deploy/migrate.ts";
import { createEndpoint, deleteOld, findPayments, type Payments, paymentStep } from "./deploy/payments.ts";
import { createResources, type Found, findDeployed, type Names, namesOf } from "./deploy/resources.ts";
import { newSecret, withSecrets, wrangler, writeConfig } from "./deploy/wrangler.ts";
import { buildApp } from "./start/app.ts";
import { createPrivately } from "./start/private.ts";

// `npm run deploy`: deploys to Cloudflare, the first time and later. Each step checks what exists, so an interrupted
// command can be repeated.

type Options = { yes?: true; dryRun?: true };

const command = new Command("npm run deploy --")
  .description("Deploys this version to Cloudflare. Creates what is missing, and asks first.")
  .option("--yes", "do not ask, for scripts")
  .option("--dry-run", "only show what would be done");

const SECRET = "JWT_SECRET";

/** What exists in the account, and what is missing. */
type State = {
  names: Names;
  found: Found;
  pending: Pending[];
  hasSecret: boolean;
  payments: Payments | undefined;
};

async function listSecrets({ call, account, config }: Cloudflare): Promise<string[]> {
  const path = `/accounts/${account}/workers/scripts/${config.name}/secrets`;
  const answer = await ifFound(call<{ name: string }[]>(path));
  return answer?.result.map(({ name }) => name) ?? [];
}

async function inspect(cloudflare: Cloudflare): Promise<State> {
  // A typo in a limit would make every request fail.
  planLimits(cloudflare.config.vars.PLAN_LIMITS);
  planPrices(cloudflare.config.vars.PLAN_PRICES);
  const names = namesOf(cloudflare);
  const found = await findDeployed(cloudflare);
  const pending = await findPending(cloudflare, names, found);
  const secrets = await listSecrets(cloudflare);
  const payments = await findPayments(process.env, { secrets, address: await addressOf(cloudflare) });
  return { names, found, pending, hasSecret: secrets.includes(SECRET), payments };
}

/** Descriptions of the steps. `asks`: the step needs confirmation. */
function describeSteps({
  names,
  found,
  pending,
  hasSecret,
  payments,
}: State): { text: string; asks: boolean }[] {
  const missing = names.databases.filter(({ binding }) => !found.databases[binding]);
  const steps = [
    ...missing.map(({ name }) => ({ needed: true, asks: true, text: `create the D1 database ${name}` })),
    { needed: !found.namespace, asks: true, text: `create the KV namespace ${names.namespace}` },
    { needed: names.bucket && !found.bucket, asks: true, text: `create the R2 bucket ${names.bucket}` },
    ...pending.map((one) => ({ needed: true, asks: true, text: stepOf(one) })),
    { needed: !hasSecret, asks: true, text: `set ${SECRET} to a random value` },
    ...(payments && !payments.isSetUp ? [{ needed: true, asks: true, text: paymentStep(payments) }] : []),
    { needed: true, asks: false, text: "deploy the Worker and the app" },
  ];
  return steps.filter(({ needed }) => needed);
}

/** The secrets that the Worker does not have yet. */
async function createMissingSecrets({ hasSecret, payments }: State): Promise<Record<string, string>> {
  return {
    ...(!hasSecret && { [SECRET]: newSecret() }),
    ...(payments && !payments.isSetUp && (await createEndpoint(payments))),
  };
}

async function deployWorker(cloudflare: Cloudflare, state: State, config: string): Promise<void> {
  const deploy = (...more: string[]) => wrangler(cloudflare, ["deploy", "--config", config, ...more]);
  const secrets = await createMissingSecrets(state);
  if (Object.keys(secrets).length === 0) await deploy();
  else await withSecrets(secrets, (file) => deploy("--secrets-file", file));
  const { payments } = state;
  if (payments && !payments.isSetUp) await deleteOld(payments);
}

async function execute(cloudflare: Cloudflare, state: State): Promise<void> {
  const { names, found, pending } = state;
  await buildApp();
  const ids = await createResources(cloudflare, names, found);
  const path = writeConfig("deploy", ids);
  await showBookmarks(cloudflare, pending);
  await migrateAll(cloudflare, pending, path);
  await deployWorker(cloudflare, state, path);
  const address = await addressOf(cloudflare);
  if (!address) return;
  console.log(`\nCommonplace is deployed: ${address}`);
  const base = baseOf(remoteDatabase(cloudflare, ids.databases.DB ?? ""));
  if (!(await registrationState(base, "closed")).needsSetUp) return;
  console.log("Create the admin's account. The link works once, within a day:");
  console.log(registrationLink(address, await startSetUp(base)));
}

async function main(): Promise<void> {
  createPrivately();
  const { yes, dryRun } = command.parse().opts<Options>();
  const cloudflare = await signIn(process.env);
  const state = await inspect(cloudflare);
  const steps = describeSteps(state);
  console.log(`Worker ${cloudflare.config.name} in the account ${cloudflare.account}:`);
  for (const { text } of steps) console.log(`  - ${text}`);
  if (dryRun) return;
  // Workers Builds, which the Deploy button uses, has no terminal.
  const canAsk = !yes && process.env.WORKERS_CI !== "1";
  if (canAsk && steps.some(({ asks }) => asks)) await confirm();
  await execute(cloudflare, state);
}

main().catch((problem: Error) => {
  console.error(problem.message);
  process.exit(1);
});
