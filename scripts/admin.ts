import { Argument, Command } from "commander";
import { Email, RegistrationMode } from "../src/contract/auth.ts";
import { PlanTier } from "../src/contract/billing.ts";
import { type PlanLimits, planLimits } from "../src/contract/plan-limits.ts";
import { FIRST_SHARD } from "../src/contract/shard.ts";
import * as accounts from "../src/features/admin/store.ts";
import {
  createInvitation,
  createSetUpCode,
  overrideRegistration,
  registrationOverride,
  registrationState,
} from "../src/features/auth/registration-store.ts";
import { endAllSubscriptions } from "../src/features/billing/cancel.ts";
import type { BaseCtx } from "../src/platform/core/ctx.ts";
import {
  createAccountInShard,
  deleteAccountInShard,
  requireUnusedEmail,
  shardCtxForEmail,
} from "./admin/accounts.ts";
import { reportFiles } from "./admin/files.ts";
import { deploymentAddress, passwordLink, registrationLink, serviceOrigin } from "./admin/links.ts";
import { localBucket, remoteBucket } from "./common/bucket.ts";
import { signInToCloudflare } from "./common/cloudflare.ts";
import { type Databases, localDatabases, remoteDatabases } from "./common/databases.ts";
import { failCommand } from "./common/fail.ts";
import { stateDirectory } from "./common/local-database.ts";
import { promptUser } from "./common/prompt.ts";
import { configuredVars, readSettings } from "./common/settings.ts";
import { createStripeClient } from "./common/stripe.ts";
import { restrictNewFiles } from "./start/file-permissions.ts";

/** Cancels a customer's subscriptions. Throws if that fails: the account must not be deleted then. */
async function cancelSubscriptions(customer: string | undefined, email: string): Promise<void> {
  if (customer === undefined) return;
  const stripe = createStripeClient({ ...configuredVars(), ...process.env });
  if (!stripe)
    throw new Error(
      `${email} is a customer at Stripe: set STRIPE_SECRET_KEY, so that the subscription is cancelled first. Nothing was changed.`,
    );
  await endAllSubscriptions(stripe, customer).catch((problem: Error) => {
    throw new Error(`Stripe could not cancel the subscription (${problem.message}): nothing was deleted`);
  });
}

// `npm run admin`: accounts and registration of a service, on this machine (running or stopped) or on Cloudflare.

type Options = { remote?: true; database?: string; url?: string; yes?: true; home?: string; repair?: true };

type Service = {
  /** The context of the first shard, which has the address directory and the settings for all. */
  base: BaseCtx;
  databases: Databases;
  address: string;
  plan: PlanTier;
  limits: PlanLimits;
};

const createService = async (
  databases: Databases,
  address: string,
  { PLAN_TIER, PLAN_LIMITS }: Record<string, string>,
): Promise<Service> => ({
  databases,
  plan: PlanTier.parse(PLAN_TIER),
  limits: planLimits(PLAN_LIMITS),
  address: serviceOrigin(address),
  base: await databases.base(FIRST_SHARD),
});

async function remoteService({ database, url }: Options): Promise<Service> {
  const cloudflare = await signInToCloudflare(process.env);
  const databases = await remoteDatabases(cloudflare, database);
  const address = url ?? (await deploymentAddress(cloudflare));
  if (!address) throw new Error("The address of the deployment is unknown: add --url https://…");
  return createService(databases, address, cloudflare.config.vars);
}

async function localService({ url }: Options): Promise<Service> {
  const databases = await localDatabases(process.env);
  const settings = readSettings(process.env);
  return createService(databases, url ?? databases.address ?? settings.address, settings.vars);
}

/** A normalized email address. Throws if the text is not one. */
function parseEmail(text: string): string {
  const { data } = Email.safeParse(text);
  if (data === undefined) throw new Error(`${text} is not an email address`);
  return data;
}

type CommandAction = (service: Service & { options: Options }, ...given: string[]) => Promise<void>;

const program = new Command("npm run admin --").description("Accounts and registration, for the operator");

function addCommand(usage: string, description: string, action: CommandAction): Command {
  return program
    .command(usage)
    .description(description)
    .option("--remote", "the deployment on Cloudflare instead of the copy on this machine")
    .option("--database <id>", "with --remote: a database other than the one in wrangler.toml")
    .option("--url <address>", "the address for links, if it differs from the service's own")
    .action(async (...given: unknown[]) => {
      const command = given.at(-1) as Command;
      const options = command.opts<Options>();
      const service = await (options.remote ? remoteService(options) : localService(options));
      await action({ ...service, options }, ...(command.processedArgs as string[])).finally(
        service.databases.close,
      );
    });
}

const KB = 1000;
const formatSize = (bytes: number) =>
  bytes < KB * KB ? `${Math.ceil(bytes / KB)} kB` : `${(bytes / KB / KB).toFixed(1)} MB`;
/** Usage and limit, such as `12 of 2000`. */
const formatUsage = (used: number, limit: number | undefined, shown: (value: number) => string = String) =>
  limit === undefined ? shown(used) : `${shown(used)} of ${shown(limit)}`;
const formatDay = (time: string | null) => time?.slice(0, 10) ?? "never";

addCommand(
  "users",
  "lists every account with its plan, its usage and when it was last used",
  async ({ databases, limits }) => {
    const { shards } = databases;
    const lists = shards.map(async ({ number, binding }) =>
      (await accounts.listAccounts(await databases.base(number))).map((account) => ({ ...account, binding })),
    );
    const rows = (await Promise.all(lists)).flat().map((account) => ({
      email: account.email,
      ...(shards.length > 1 && { home: account.binding }),
      role: account.closed_at ? `${account.role}, closed` : account.role,
      plan: account.plan_tier,
      documents: formatUsage(account.documents, limits[account.plan_tier].documents),
      records: formatUsage(account.records, limits[account.plan_tier].records),
      storage: formatUsage(account.bytes, limits[account.plan_tier].bytes, formatSize),
      created: formatDay(account.created_at),
      "last used": formatDay(account.last_used_at),
    }));
    if (rows.length > 0) console.table(rows);
    else console.log("There are no accounts yet.");
  },
);

addCommand("setup", "prints a link that creates the admin's account", async ({ base, address }) => {
  console.log(registrationLink(address, await createSetUpCode(base)));
  console.log("It works once, within a day. Earlier set-up links no longer work.");
});

addCommand("invite [email]", "prints a link that creates one account", async (service, given) => {
  const { base, address } = service;
  const email = given === undefined ? undefined : parseEmail(given);
  if (email !== undefined) await requireUnusedEmail(service.databases, email);
  const code = await createInvitation(base, email);
  console.log(registrationLink(address, code));
  console.log(`It works once, within 7 days${email === undefined ? "" : `, for ${email}`}.`);
  if ((await registrationOverride(base)) === "closed")
    console.log("It does not work while registration is closed.");
});

const SET_PASSWORD = "sets the password. It works once, within a day.";

addCommand(
  "create <email>",
  "creates an account and prints a link that sets its password",
  async (service, email = "") => {
    const { databases, address, plan, options } = service;
    const account = { email: parseEmail(email), plan, binding: options.home };
    console.log(passwordLink(address, await createAccountInShard(databases, account)));
    console.log(`This link ${SET_PASSWORD}`);
  },
).option("--home <binding>", "the home of the account, such as DB_2; by default the emptiest open one");

addCommand(
  "reset <email>",
  "prints a link that sets a new password, without email",
  async (service, given = "") => {
    const [base, email] = await findAccount(service, given);
    console.log(passwordLink(service.address, await accounts.resetPassword(base, email)));
    console.log(`This link ${SET_PASSWORD} Using it signs the account out everywhere.`);
    if ((await accounts.requireAccount(base, email)).closed_at)
      console.log("The account is closed. Open it with `open`.");
  },
);

/** The context of the shard with an account, and the account's normalized email address. */
async function findAccount({ databases }: Service, given: string): Promise<[BaseCtx, string]> {
  const email = parseEmail(given);
  return [await shardCtxForEmail(databases, email), email];
}

addCommand(
  "drop-second-factor <email>",
  "turns two-factor authentication off, for a user who has lost it and the recovery codes",
  async (service, given = "") => {
    const [base, email] = await findAccount(service, given);
    await accounts.dropSecondFactor(base, email);
    console.log(`Two-factor authentication is off for ${email}. The password alone is enough to sign in.`);
  },
);

const YES_OPTION = ["--yes", "also if it is the last admin's account"] as const;

const NO_ADMIN =
  "There is no admin now. Make an account an admin's with `role`, or create a new one with `setup`.";

async function warnWithoutAdmin({ base }: Service): Promise<void> {
  if ((await registrationState(base, "closed")).needsSetUp) console.log(NO_ADMIN);
}

addCommand("role", "makes an account an admin's or a member's", async (service, given = "", role = "") => {
  const [base, email] = await findAccount(service, given);
  await accounts.setRole(base, email, role as "admin" | "member", { evenLastAdmin: service.options.yes });
  console.log(`${email} is ${role === "admin" ? "an admin" : "a member"} now.`);
  await warnWithoutAdmin(service);
})
  .argument("<email>")
  .addArgument(new Argument("<role>").choices(["admin", "member"]))
  .option(...YES_OPTION);

addCommand("plan", "changes the plan of an account", async (service, given = "", plan = "") => {
  const [base, email] = await findAccount(service, given);
  const paid = await accounts.setPlan(base, email, PlanTier.parse(plan));
  if (!paid) return console.log(`${email} has the plan ${plan} now.`);
  const { subscription_id, status, plan_tier } = paid;
  console.log(
    `${email} pays for a plan. While the subscription ${subscription_id} is ${status}, Stripe sets the plan, which is ${plan_tier}.`,
  );
  console.log(`The plan ${plan} applies when it ends.`);
})
  .argument("<email>")
  .addArgument(new Argument("<plan>").choices(PlanTier.options));

addCommand(
  "close <email>",
  "rejects every sign-in, key and connection of an account; nothing is deleted",
  async (service, given = "") => {
    const [base, email] = await findAccount(service, given);
    await accounts.setClosed(base, email, true, { evenLastAdmin: service.options.yes });
    console.log(`${email} is closed now. Nothing was deleted; reopen it with \`open\`.`);
  },
).option(...YES_OPTION);

addCommand("open <email>", "reopens a closed account", async (service, given = "") => {
  const [base, email] = await findAccount(service, given);
  await accounts.setClosed(base, email, false);
  console.log(`${email} is open now: its sessions, keys and connections work again.`);
});

/** Asks for the email address of the account to delete. Throws if the answer differs. */
async function confirmDeletion(base: BaseCtx, email: string): Promise<void> {
  const isLastAdmin = await accounts.isLastAdmin(base, email);
  const warning = `This deletes ${email} and everything in the account.${isLastAdmin ? " It is the last admin's account." : ""}`;
  const answer = await promptUser(`${warning} Type the email address again`, { noTerminalHint: "add --yes" });
  if (answer !== email) throw new Error("Nothing was changed.");
}

addCommand("delete <email>", "deletes an account with everything in it", async (service, given = "") => {
  const [base, email] = await findAccount(service, given);
  if (!service.options.yes) await confirmDeletion(base, email);
  await cancelSubscriptions(await accounts.findCustomerId(base, email), email);
  await deleteAccountInShard(service.databases, email);
  console.log(`${email} is deleted. Its content is erased within hours.`);
  await warnWithoutAdmin(service);
}).option("--yes", "do not ask, for scripts");

addCommand(
  "files",
  "compares the bucket of files with the database; exits with 1 if they differ",
  async ({ databases, options }) => {
    const bucket = options.remote
      ? remoteBucket(await signInToCloudflare(process.env))
      : await localBucket(stateDirectory(process.env));
    if (!bucket) return console.log("There is no bucket: wrangler.toml has no [[r2_buckets]].");
    const differs = await reportFiles(databases, bucket, options.repair === true).finally(bucket.close);
    if (differs) process.exitCode = 1;
  },
).option("--repair", "delete keys of the bucket that are not in the database");

const DEFAULT = "default";

addCommand("registration", "shows or sets who can create an account", async ({ base }, mode) => {
  if (mode !== undefined)
    await overrideRegistration(base, mode === DEFAULT ? undefined : RegistrationMode.parse(mode));
  console.log(`Registration: ${(await registrationOverride(base)) ?? "as REGISTRATION says"}`);
}).addArgument(new Argument("[mode]").choices(["open", "invite", "closed", DEFAULT]));

restrictNewFiles();
program.parseAsync().catch(failCommand);
