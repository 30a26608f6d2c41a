import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { knownHostNames } from "../../src/contract/hosts.ts";
import { planLimits } from "../../src/contract/plan-limits.ts";
import { planPrices } from "../../src/contract/plan-prices.ts";
import { parseShards } from "../../src/contract/shards.ts";
import { readWranglerConfig } from "./wrangler.ts";

/** The settings of `npm start`. */
export type ServiceSettings = {
  host: string;
  apiPort: number;
  mcpPort: number;
  apiUrl: string;
  mcpUrl: string;
  /** The address in links: API_URL, or where this copy listens. */
  address: string;
  /** Whether only programs on this machine can reach the service. */
  isLocal: boolean;
  stateDir: string;
  /** The host names under which the service answers, besides localhost and IP addresses. */
  hostNames: string[];
  /** Settings of the Worker that differ from wrangler.toml. */
  vars: Record<string, string>;
};

/** Defaults of a self-hosted copy that differ from a deployment on Cloudflare. */
const SELF_HOSTED = { TRUST_CLIENT_IP: "false", PLAN_TIER: "self_hosted", MAIL: "terminal" };

/** The format of each setting. They are strict, so that a typo cannot open what should be closed. */
const FORMATS: Record<string, RegExp> = {
  REGISTRATION: /^(open|verified|invite|closed)$/,
  TRUST_CLIENT_IP: /^(true|false)$/,
  // OAuth needs https; http is only for programs on this machine.
  MCP_URL: /^(https:\/\/[^/\s]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?)\/mcp$/,
  API_URL: /^https?:\/\/[^/\s]+$/,
  // The limit itself belongs to the binding, which only wrangler.toml can change.
  RATE_LIMIT_USER: /^off$/,
  ALLOWED_HOSTS: /^$|^[\w.-]+(\s*,\s*[\w.-]+)*$/,
  PLAN_TIER: /^(free|pro|team|self_hosted)$/,
  MAIL: /^(terminal)?$/,
  SMTP_URL: /^smtps?:\/\/\S+$/,
  MAIL_FROM: /^([^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)?$/,
  WEBHOOK_PRIVATE: /^(allow|deny)$/,
  TRIAL_DAYS: /^\d{1,3}$/,
  STRIPE_SECRET_KEY: /^((sk|rk)_(test|live)_\w+)?$/,
  STRIPE_WEBHOOK_SECRET: /^(whsec_\S+)?$/,
  STRIPE_API_URL: /^https?:\/\/[^/\s]+$/,
  D1_CALLS: /^[1-9]\d{0,3}$/,
};
const RATE_LIMIT_FORMAT = /^[1-9]\d{0,5}\/[1-9]\d{0,5}$/;

function parsePort(name: string, value: string | undefined, fallback: number): number {
  const port = Number(value ?? fallback);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`${name} must be a port number, not "${value}"`);
  return port;
}

function checkFormat(name: string, value: string): void {
  const format = FORMATS[name] ?? (name.startsWith("RATE_LIMIT_") ? RATE_LIMIT_FORMAT : undefined);
  if (format && !format.test(value)) {
    const given = SECRET_SETTINGS.includes(name) ? "" : `, not "${value}"`;
    throw new Error(`${name} must match ${format.source}${given}`);
  }
}

/** Throws if HOMES is malformed, or if HOME_FOR_NEW is not one of its databases. */
function checkHomes(environment: NodeJS.ProcessEnv): void {
  const shards = parseShards(homesSetting(environment));
  const { HOME_FOR_NEW: homeForNew = configuredVars().HOME_FOR_NEW } = environment;
  if (homeForNew && !shards.some(({ binding }) => binding === homeForNew))
    throw new Error(`HOME_FOR_NEW must be one of the databases in HOMES, not "${homeForNew}"`);
}

/** Settings that are not in wrangler.toml, because they are secret or for tests. */
const SECRET_SETTINGS = ["SMTP_URL", "STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_API_URL"];

const defaultVars = () => readWranglerConfig().vars;

/** How users type a command: in the repository, or with the installed package. */
export const commandName = <Name extends string>(repository: Name, installed: Name): Name =>
  process.env.SECRETS_FILE === undefined ? repository : installed;

const DEV_VARS_FILE = ".dev.vars";

const readVars = (file: string) => (existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {});

/** Whether this process may write or create a file. */
function isWritable(file: string): boolean {
  try {
    accessSync(existsSync(file) ? file : dirname(file), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The file with the secrets, which the first start writes. It is next to the code, or in STATE_DIR if this user cannot
 * write there. An installed package keeps it with its data (`scripts/cli.ts`).
 */
export function secretsFile(): string {
  const { SECRETS_FILE, STATE_DIR = ".state" } = process.env;
  if (SECRETS_FILE !== undefined) return SECRETS_FILE;
  const stateDirSecrets = join(STATE_DIR, "secrets");
  const usesDevVars =
    readVars(DEV_VARS_FILE).JWT_SECRET !== undefined ||
    (!existsSync(stateDirSecrets) && isWritable(DEV_VARS_FILE));
  return usesDevVars ? DEV_VARS_FILE : stateDirSecrets;
}

const secretVars = () => ({ ...readVars(DEV_VARS_FILE), ...readVars(secretsFile()) });

/** The Worker's variables: those of wrangler.toml, overridden by `.dev.vars` and the secrets file. */
export const configuredVars = (): Record<string, string> => ({
  ...defaultVars(),
  ...(secretVars() as Record<string, string>),
});

/** HOMES in wrangler.toml. */
export const configHomes = (): string => defaultVars().HOMES ?? "";

/** HOMES for a copy on this machine. */
export const homesSetting = ({ HOMES }: NodeJS.ProcessEnv): string => HOMES ?? configuredVars().HOMES ?? "";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/;

/** Whether the copy listens on loopback and has no host name under which a proxy could serve it to others. */
function isOnlyLocal(host: string, environment: NodeJS.ProcessEnv): boolean {
  const { API_URL, MCP_URL, ALLOWED_HOSTS } = environment;
  const addresses = [API_URL, MCP_URL].filter(Boolean).map((url) => new URL(String(url)).hostname);
  const names = (ALLOWED_HOSTS ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  return [host, ...addresses, ...names].every((name) => LOOPBACK.test(name));
}

/** An address at which other machines reach a copy that listens on all addresses. */
function networkAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === "IPv4" && !internal)?.address;
}

function urlHost(host: string): string {
  const name = host === "0.0.0.0" || host === "::" ? (networkAddress() ?? "localhost") : host;
  return name.includes(":") ? `[${name}]` : name;
}

/** Reads the settings from the environment. Throws on a malformed value. */
export function readSettings(environment: NodeJS.ProcessEnv): ServiceSettings {
  const given = [...Object.keys(defaultVars()), ...SECRET_SETTINGS].flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  for (const [name, value] of given) checkFormat(name, value);
  checkHomes(environment);
  planLimits(environment.PLAN_LIMITS);
  planPrices(environment.PLAN_PRICES);
  if (environment.SMTP_URL && !environment.MAIL_FROM)
    throw new Error("With SMTP_URL, MAIL_FROM must be set, for example to Commonplace <notes@example.com>");
  const host = environment.HOST ?? "localhost";
  const apiPort = parsePort("API_PORT", environment.API_PORT, 8000);
  const mcpPort = parsePort("MCP_PORT", environment.MCP_PORT, 8001);
  const isLocal = isOnlyLocal(host, environment);
  const vars = {
    ...SELF_HOSTED,
    REGISTRATION: isLocal ? "open" : "invite",
    ...(isLocal && { LOCAL_ONLY: "true" }),
    API_URL: `http://localhost:${apiPort}`,
    MCP_URL: `http://localhost:${mcpPort}/mcp`,
    ALLOWED_HOSTS: "",
    ...Object.fromEntries(given),
  };
  return {
    host,
    apiPort,
    mcpPort,
    apiUrl: `http://localhost:${apiPort}`,
    mcpUrl: `http://localhost:${mcpPort}`,
    address: environment.API_URL ?? `http://${urlHost(host)}:${apiPort}`,
    isLocal,
    stateDir: resolve(environment.STATE_DIR ?? ".state"),
    hostNames: [...knownHostNames(vars), host.toLowerCase()],
    vars,
  };
}
