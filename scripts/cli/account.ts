import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ACCESS_SCOPES } from "../../src/contract/access.ts";
import type { NewApiKey } from "../../src/contract/api-keys.ts";
import type { TokenAnswer } from "../../src/contract/auth.ts";
import { openRunningDatabase } from "../common/copy-databases.ts";
import { readJsonFile } from "../common/json-file.ts";
import type { OperatorEndpoint } from "../common/operator.ts";

// The account that the first use creates on an empty service, so that one line of configuration is enough to start.

/** Stored in the state folder, readable by its owner only. */
export type OwnAccount = { email: string; password: string; key: string };

const accountFile = (stateDir: string) => join(stateDir, "account.json");

export const readOwnAccount = (stateDir: string): OwnAccount | undefined =>
  readJsonFile(accountFile(stateDir));

async function post<Answer>(url: string, body: object, token?: string): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/;

async function hasNoUsers(operator: OperatorEndpoint): Promise<boolean> {
  const [row] = await openRunningDatabase(operator, "DB").query("SELECT count(*) AS people FROM users");
  return row?.people === 0;
}

/** Chooses an email address and a password. They are stored before use, so that a killed process can continue. */
function chooseCredentials(stateDir: string): OwnAccount {
  const email = "owner@commonplace.localhost";
  const chosen: OwnAccount = { email, password: randomBytes(18).toString("base64url"), key: "" };
  try {
    writeFileSync(accountFile(stateDir), JSON.stringify(chosen), { mode: 0o600, flag: "wx" });
    return chosen;
  } catch (problem) {
    // Another client has started at the same moment.
    const own = readOwnAccount(stateDir);
    if (own) return own;
    throw problem;
  }
}

/** Adds a key to the account. Registers it, or signs in if another client has just registered it. */
async function createWithKey(
  stateDir: string,
  address: string,
  { email, password }: OwnAccount,
): Promise<OwnAccount> {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { access_token } = await post<TokenAnswer>(`${address}/api/auth/register`, {
    email,
    password,
    timezone,
  }).catch(() => post<TokenAnswer>(`${address}/api/auth/login`, { email, password }));
  const name = "Assistants on this machine";
  const { key } = await post<NewApiKey>(
    `${address}/api/api-keys`,
    { name, scopes: ACCESS_SCOPES },
    access_token,
  );
  const account: OwnAccount = { email, password, key };
  writeFileSync(accountFile(stateDir), JSON.stringify(account), { mode: 0o600 });
  return account;
}

/**
 * The account of this state folder. Creates it, as the admin's, if the service is empty and only this machine reaches
 * it.
 */
export async function ensureOwnAccount(
  stateDir: string,
  operator: OperatorEndpoint,
): Promise<OwnAccount | undefined> {
  const { address } = operator;
  const own = readOwnAccount(stateDir);
  if (own?.key) return (await isAccepted(address, own.key)) ? own : undefined;
  if (!LOOPBACK.test(address) || operator.homes) return undefined;
  if (!own && !(await hasNoUsers(operator))) return undefined;
  return createWithKey(stateDir, address, own ?? chooseCredentials(stateDir));
}

/** Whether a key still works: it may have been revoked, or the data replaced by a backup. */
async function isAccepted(address: string, key: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${key}` };
  const { status } = await fetch(`${address}/api/tags?limit=1`, { headers });
  return status !== 401;
}
