import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { type Command, Option } from "commander";
import type { AccountLogin } from "../common/client.ts";
import { promptUser } from "../common/prompt.ts";

/** The command-line options for the account. */
export type AccountOptions = {
  url: string;
  email?: string;
  password?: string;
  passwordFile?: string;
  key?: string;
};

/** Adds the options that choose the service and the account. */
export const withAccountOptions = (command: Command): Command =>
  command
    .addOption(
      new Option("--url <url>", "address of the API").env("COMMONPLACE_URL").default("http://localhost:8000"),
    )
    .addOption(
      new Option("--key <cpk_…>", "an API key, instead of email and password").env("COMMONPLACE_KEY"),
    )
    .addOption(new Option("--email <email>", "email address of your account").env("COMMONPLACE_EMAIL"))
    .addOption(new Option("--password <password>", "its password").env("COMMONPLACE_PASSWORD"))
    .option("--password-file <file>", "a file that contains its password");

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i;

/** Normalizes an API address typed by a user: adds the scheme, removes trailing slashes. Throws if it is not a URL. */
export function normalizeApiUrl(text: string): string {
  const trimmed = text.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)
    ? trimmed
    : `${LOCAL.test(trimmed) ? "http" : "https"}://${trimmed}`;
  const url = URL.parse(whole);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "")
    throw new Error(`${text} is not the address of an API, such as http://localhost:8000`);
  return whole.replace(/\/+$/, "");
}

function readPasswordFile(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (problem) {
    throw new Error(`Cannot read the password file: ${(problem as Error).message}`);
  }
}

/**
 * The account that the options name. Asks in the terminal for missing values.
 *
 * @param program the name in the list of sessions
 */
export async function accountFromOptions(options: AccountOptions, program: string): Promise<AccountLogin> {
  const service = { url: normalizeApiUrl(options.url), program: `${program} (${hostname()})` };
  if (options.key) {
    const key = options.key.trim();
    if (!key.startsWith("cpk_")) throw new Error("The key must be an API key, which starts with cpk_");
    return { ...service, key };
  }
  const email =
    options.email ??
    (await promptUser("Email", { noTerminalHint: "add --email or set COMMONPLACE_EMAIL, or add --key" }));
  const given = options.passwordFile ? readPasswordFile(options.passwordFile) : options.password;
  const password =
    given ??
    (await promptUser("Password", {
      secret: true,
      noTerminalHint: "add --password-file, or set COMMONPLACE_PASSWORD (or COMMONPLACE_KEY to an API key)",
    }));
  return { ...service, email, password };
}
