import { Command } from "commander";
import { planLimits } from "../src/contract/plan-limits.ts";
import { planPrices } from "../src/contract/plan-prices.ts";
import { deploymentAddress, registrationLink, setUpCodeIfNeeded } from "./admin/links.ts";
import {
  type CloudflareClient,
  remoteDatabase,
  signInToCloudflare,
  undefinedIfMissing,
} from "./common/cloudflare.ts";
import { baseCtxFor } from "./common/d1.ts";
import { failCommand } from "./common/fail.ts";
import { requireConfirmation } from "./common/prompt.ts";
import {
  describeMigrationStep,
  findPendingMigrations,
  migrateAll,
  type PendingMigrations,
  showBookmarks,
} from "./deploy/migrate.ts";
import {
  createWebhookEndpoint,
  deleteReplacedEndpoints,
  describePaymentStep,
  findMissingPayments,
  type MissingPayments,
} from "./deploy/payments.ts";
import {
  createResources,
  type FoundResources,
  findDeployedResources,
  type ResourceNames,
  resourceNames,
} from "./deploy/resources.ts";
import { newSecret, runWrangler, withSecretsFile, writeWranglerConfig } from "./deploy/wrangler.ts";
import { buildApp } from "./start/app.ts";
import { restrictNewFiles } from "./start/file-permissions.ts";

// `npm run deploy`: deploys to Cloudflare, the first time and later. Each step checks what exists, so an interrupted
// command can be repeated.

type Options = { yes?: true; dryRun?: true };

const command = new Command("npm run deploy --")
  .description("Deploys this version to Cloudflare. Creates what is missing, and asks first.")
  .option("--yes", "do not ask, for scripts")
  .option("--dry-run", "only show what would be done");

const SECRET = "JWT_SECRET";

type State = {
  names: ResourceNames;
  found: FoundResources;
  pending: PendingMigrations[];
  hasSecret: boolean;
  payments: MissingPayments | undefined;
};

async function listSecrets({ call, account, config }: CloudflareClient): Promise<string[]> {
  const path = `/accounts/${account}/workers/scripts/${config.name}/secrets`;
  const secrets = await undefinedIfMissing(call<{ name: string }[]>(path));
  return secrets?.map(({ name }) => name) ?? [];
}

async function inspect(cloudflare: CloudflareClient): Promise<State> {
  // A typo in a limit would make every request fail.
  planLimits(cloudflare.config.vars.PLAN_LIMITS);
  planPrices(cloudflare.config.vars.PLAN_PRICES);
  const names = resourceNames(cloudflare);
  const found = await findDeployedResources(cloudflare);
  const pending = await findPendingMigrations(cloudflare, names, found);
  const secrets = await listSecrets(cloudflare);
  const payments = await findMissingPayments(process.env, {
    secrets,
    address: await deploymentAddress(cloudflare),
  });
  return { names, found, pending, hasSecret: secrets.includes(SECRET), payments };
}

/** Descriptions of what has to be changed before the deployment, each of which needs confirmation. */
function describeChanges({ names, found, pending, hasSecret, payments }: State): string[] {
  const missing = names.databases.filter(({ binding }) => !found.databases[binding]);
  const changes = [
    ...missing.map(({ name }) => `create the D1 database ${name}`),
    !found.namespace && `create the KV namespace ${names.namespace}`,
    names.bucket && !found.bucket && `create the R2 bucket ${names.bucket}`,
    ...pending.map(describeMigrationStep),
    !hasSecret && `set ${SECRET} to a random value`,
    payments && describePaymentStep(payments),
  ];
  return changes.filter((change) => typeof change === "string");
}

async function createMissingSecrets({ hasSecret, payments }: State): Promise<Record<string, string>> {
  return {
    ...(!hasSecret && { [SECRET]: newSecret() }),
    ...(payments && (await createWebhookEndpoint(payments))),
  };
}

async function deployWorker(cloudflare: CloudflareClient, state: State, config: string): Promise<void> {
  const deploy = (...more: string[]) => runWrangler(cloudflare, ["deploy", "--config", config, ...more]);
  const secrets = await createMissingSecrets(state);
  if (Object.keys(secrets).length === 0) await deploy();
  else await withSecretsFile(secrets, (file) => deploy("--secrets-file", file));
  if (state.payments) await deleteReplacedEndpoints(state.payments);
}

async function execute(cloudflare: CloudflareClient, state: State): Promise<void> {
  const { names, found, pending } = state;
  await buildApp();
  const ids = await createResources(cloudflare, names, found);
  const path = writeWranglerConfig("deploy", ids);
  await showBookmarks(cloudflare, pending);
  await migrateAll(cloudflare, pending, path);
  await deployWorker(cloudflare, state, path);
  const address = await deploymentAddress(cloudflare);
  if (!address) return;
  console.log(`\nCommonplace is deployed: ${address}`);
  const base = baseCtxFor(remoteDatabase(cloudflare, ids.databases.DB ?? ""));
  const code = await setUpCodeIfNeeded(base);
  if (!code) return;
  console.log("Create the admin's account. The link works once, within a day:");
  console.log(registrationLink(address, code));
}

async function main(): Promise<void> {
  restrictNewFiles();
  const { yes, dryRun } = command.parse().opts<Options>();
  const cloudflare = await signInToCloudflare(process.env);
  const state = await inspect(cloudflare);
  const changes = describeChanges(state);
  console.log(`Worker ${cloudflare.config.name} in the account ${cloudflare.account}:`);
  for (const text of [...changes, "deploy the Worker and the app"]) console.log(`  - ${text}`);
  if (dryRun) return;
  // Workers Builds, which the Deploy button uses, has no terminal.
  const canAsk = !yes && process.env.WORKERS_CI !== "1";
  if (canAsk && changes.length > 0) await requireConfirmation();
  await execute(cloudflare, state);
}

main().catch(failCommand);
