import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { Command } from "commander";
import { registrationLink, setUpCodeIfNeeded } from "./admin/links.ts";
import {
  type CloudflareClient,
  remoteDatabase,
  signInToCloudflare,
  undefinedIfMissing,
} from "./common/cloudflare.ts";
import { baseCtxFor } from "./common/d1.ts";
import { failCommand } from "./common/fail.ts";
import { namespaceTitle } from "./common/kv.ts";
import { createResources, deleteResources, findResources } from "./deploy/resources.ts";
import {
  applyMigrations,
  newSecret,
  runWrangler,
  withSecretsFile,
  writeWranglerConfig,
} from "./deploy/wrangler.ts";
import { buildApp } from "./start/app.ts";
import { restrictNewFiles } from "./start/file-permissions.ts";

// `npm run preview`: deploys a branch as a separate service on Cloudflare, with its own database, namespace, Durable
// Objects and secrets. It shares nothing with production.

const MAX_NAME = 30;

/** Checks a preview's name, which becomes part of host names and resource names. */
function checkName(name: string): string {
  if (/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) && name.length <= MAX_NAME) return name;
  throw new Error(`A preview's name is at most ${MAX_NAME} letters a-z, digits and hyphens, not "${name}"`);
}

function branchName(): string {
  const branch = execFileSync("git", ["branch", "--show-current"], { encoding: "utf8" });
  const words = branch.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, MAX_NAME).replace(/-$/, "");
}

/** The names of a preview's resources, which differ from those of other previews and of the deployment. */
const previewResources = ({ config }: CloudflareClient, preview: string) => {
  const resourceName = `${config.name}-preview-${preview}`;
  const database = { binding: "DB", name: resourceName, region: undefined };
  const bucket = config.r2_buckets?.length ? `${resourceName}-files` : undefined;
  return { databases: [database], namespace: namespaceTitle(resourceName), ...(bucket && { bucket }) };
};

const previewPath = ({ account, config }: CloudflareClient, preview: string) =>
  `/accounts/${account}/workers/workers/${config.name}/previews/${preview}`;

/** Whether the preview's latest deployment has the secret. The next one then keeps it. */
async function hasSecret(cloudflare: CloudflareClient, preview: string): Promise<boolean> {
  const path = `${previewPath(cloudflare, preview)}/deployments/latest`;
  const latest = await undefinedIfMissing(cloudflare.call<{ env?: Record<string, unknown> }>(path));
  return latest?.env?.JWT_SECRET !== undefined;
}

async function deploy(cloudflare: CloudflareClient, preview: string, config: string): Promise<string> {
  // Without the dashboard's base config, which could contain anything.
  const command = ["preview", "--name", preview, "--config", config, "--json", "--ignore-base-config"];
  const run = (...more: string[]) => runWrangler(cloudflare, [...command, ...more], { quiet: true });
  const jsonOutput = (await hasSecret(cloudflare, preview))
    ? await run()
    : await withSecretsFile({ JWT_SECRET: newSecret() }, (file) => run("--secrets-file", file));
  const { urls } = JSON.parse(jsonOutput.slice(jsonOutput.indexOf("{"))).preview as {
    urls?: string[];
  };
  const [address] = urls ?? [];
  if (!address)
    throw new Error("The preview has no address: set workers_dev and preview_urls in wrangler.toml");
  return address;
}

/** Passes values to later steps of a GitHub Actions workflow. Masks the code, because the log may be public. */
function writeWorkflowOutput({ address, code }: { address: string; code: string }): void {
  if (code) console.log(`::add-mask::${code}`);
  appendFileSync(process.env.GITHUB_OUTPUT ?? "", `address=${address}\ncode=${code}\n`);
}

async function create(preview: string): Promise<void> {
  const cloudflare = await signInToCloudflare(process.env);
  const names = previewResources(cloudflare, preview);
  await buildApp();
  const ids = await createResources(cloudflare, names, await findResources(cloudflare, names));
  const config = writeWranglerConfig(`preview-${preview}`, ids);
  await applyMigrations(cloudflare, { config, binding: "DB" });
  const address = await deploy(cloudflare, preview, config);
  const base = baseCtxFor(remoteDatabase(cloudflare, ids.databases.DB ?? ""));
  const code = (await setUpCodeIfNeeded(base)) ?? "";
  console.log(`The preview ${preview} is at ${address}`);
  if (process.env.GITHUB_OUTPUT) return writeWorkflowOutput({ address, code });
  if (code) console.log(`Create its first account: ${registrationLink(address, code)}`);
}

async function remove(preview: string): Promise<void> {
  const cloudflare = await signInToCloudflare(process.env);
  await undefinedIfMissing(cloudflare.call(previewPath(cloudflare, preview), undefined, "DELETE"));
  await deleteResources(cloudflare, await findResources(cloudflare, previewResources(cloudflare, preview)));
  console.log(`The preview ${preview} and everything in it are deleted.`);
}

const program = new Command("npm run preview --").description("Previews of branches on Cloudflare");
const NAME_HELP = "its name; the branch's name by default";
program
  .command("create")
  .description("Creates a preview, or updates it to the current state of the branch")
  .argument("[name]", NAME_HELP)
  .action((name?: string) => create(checkName(name ?? branchName())));
program
  .command("delete")
  .description("Deletes a preview with its database")
  .argument("[name]", NAME_HELP)
  .action((name?: string) => remove(checkName(name ?? branchName())));

restrictNewFiles();
program.parseAsync().catch(failCommand);
