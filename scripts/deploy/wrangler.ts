import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { parse } from "smol-toml";
import type { CloudflareClient } from "../common/cloudflare.ts";
import { WRANGLER_CLI, wranglerEnvironment } from "../common/wrangler.ts";
import type { FoundResources } from "./resources.ts";

type Binding = Record<string, unknown>;
type WranglerFile = {
  main: string;
  alias: Record<string, string>;
  assets: { directory: string };
  d1_databases: Binding[];
  kv_namespaces: Binding[];
  r2_buckets?: Binding[];
  previews: Binding & ResourceBindings;
};

type ResourceBindings = { d1_databases: Binding[]; kv_namespaces: Binding[]; r2_buckets?: Binding[] };

/** The bindings of existing resources, with their ids. */
const bindingsWithIds = (
  { d1_databases, kv_namespaces, r2_buckets = [] }: ResourceBindings,
  { databases, namespace, bucket }: FoundResources,
) => ({
  r2_buckets: bucket ? r2_buckets.map((one) => ({ ...one, bucket_name: bucket })) : [],
  d1_databases: d1_databases
    .filter(({ binding }) => databases[String(binding)])
    .map((one) => ({ ...one, database_id: databases[String(one.binding)] })),
  ...(namespace && { kv_namespaces: kv_namespaces.map((one) => ({ ...one, id: namespace })) }),
});

/**
 * Writes a copy of wrangler.toml that names exactly these resources by id. Returns its path.
 *
 * @param name the name of the copy; concurrent commands need different ones
 * @param database a database that wrangler.toml does not have yet
 */
export function writeWranglerConfig(name: string, ids: FoundResources, database?: Binding): string {
  const config = parse(readFileSync("wrangler.toml", "utf8")) as unknown as WranglerFile;
  if (database) config.d1_databases.push(database);
  const { main, alias, assets, previews } = config;
  const deployedBindings = bindingsWithIds(config, ids);
  const copy = {
    ...config,
    ...deployedBindings,
    d1_databases: deployedBindings.d1_databases.map((one) => ({
      ...one,
      migrations_dir: resolve("migrations"),
    })),
    main: resolve(main),
    alias: Object.fromEntries(Object.entries(alias).map(([name, file]) => [name, resolve(file)])),
    assets: { ...assets, directory: resolve(assets.directory) },
    previews: { ...previews, ...bindingsWithIds(previews, ids) },
  };
  mkdirSync("dist", { recursive: true });
  const path = join("dist", `${name}.wrangler.json`);
  writeFileSync(path, JSON.stringify(copy));
  return path;
}

/** Runs wrangler and returns its output, which is also printed unless `quiet`. Throws if it fails. */
export async function runWrangler(
  { account }: CloudflareClient,
  args: string[],
  { quiet = false }: { quiet?: boolean } = {},
): Promise<string> {
  const child = spawn(process.execPath, [WRANGLER_CLI, ...args], {
    env: { ...wranglerEnvironment(), CLOUDFLARE_ACCOUNT_ID: account },
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (!quiet) child.stdout.pipe(process.stdout, { end: false });
  const ended = new Promise<number | null>((done) => child.once("close", done));
  const output = await text(child.stdout);
  if ((await ended) === 0) return output;
  if (quiet) process.stdout.write(output);
  throw new Error(
    `\`wrangler ${args[0]}\` failed. All earlier steps are done: run the command again to continue.`,
  );
}

/** Applies the missing migrations to a database of a configuration. */
export const applyMigrations = (
  cloudflare: CloudflareClient,
  { config, binding }: { config: string; binding: string },
): Promise<string> =>
  runWrangler(cloudflare, ["d1", "migrations", "apply", binding, "--remote", "--config", config], {
    quiet: true,
  });

export const newSecret = (): string => randomBytes(48).toString("base64url");

/** Calls `use` with a temporary file for wrangler's --secrets-file. */
export async function withSecretsFile<Result>(
  secrets: Record<string, string>,
  use: (file: string) => Promise<Result>,
): Promise<Result> {
  const scratch = mkdtempSync(join(tmpdir(), "commonplace-secret-"));
  try {
    const file = join(scratch, "secrets.json");
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
    return await use(file);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
