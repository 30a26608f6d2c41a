import { Browser, type Page } from "./browser.ts";
import { Client, PASSWORD, person, visitor } from "./client.ts";
import { initialize, use } from "./mcp.ts";

// An OAuth client, step by step, so that a test can do any step wrong.

export const REDIRECT = "https://client.example/callback";
export const RESOURCE = "https://commonplace.test/mcp";
export const VERIFIER = "a-verifier-of-at-least-forty-three-characters-0123456789";

export const base64url = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

export const challengeOf = async (verifier: string) =>
  base64url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));

type Registered = { client_id: string; client_secret?: string };

/** Registers a public client (RFC 7591). */
export async function registerClient(
  fields: Record<string, unknown> = {},
  from = visitor(),
): Promise<Registered & { status: number; headers: Headers }> {
  const response = await from.fetch("/oauth/register", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      client_name: "Test Client",
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...fields,
    }),
  });
  const body = (await response.json()) as Registered;
  return { ...body, status: response.status, headers: response.headers };
}

/** The URL that a client sends its user to. Undefined fields are left out. */
export async function authorizeUrl(
  client_id: string,
  fields: Record<string, string | undefined> = {},
): Promise<string> {
  const all = {
    response_type: "code",
    client_id,
    redirect_uri: REDIRECT,
    state: "the-state",
    code_challenge: await challengeOf(VERIFIER),
    code_challenge_method: "S256",
    resource: RESOURCE,
    ...fields,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/authorize?${new URLSearchParams(given)}`;
}

/** Signs in on the sign-in page, and returns the page that follows. */
export async function signInOn(browser: Browser, page: Page, email: string): Promise<Page> {
  const answer = await browser.submit(page, { email, password: PASSWORD });
  return answer.status === 303 ? browser.open(answer.headers.get("Location") ?? "") : answer;
}

/** A browser in which this user has signed in. */
export async function signedIn(email: string): Promise<Browser> {
  const browser = new Browser();
  await signInOn(browser, await browser.open("/sign-in"), email);
  return browser;
}

/** The page on which this user decides about a client, in a browser of their own. */
export async function consentPage(
  email: string,
  client_id: string,
  fields: Record<string, string | undefined> = {},
): Promise<{ browser: Browser; page: Page }> {
  const browser = new Browser();
  const first = await browser.open(await authorizeUrl(client_id, fields));
  return { browser, page: await signInOn(browser, first, email) };
}

/** The same for a new user, ada@example.com, and a new client. */
export async function newConsent(
  client: Record<string, unknown> = {},
  fields: Record<string, string | undefined> = {},
) {
  const ada = await person({ email: "ada@example.com" });
  const { client_id } = await registerClient(client);
  return { ada, client_id, ...(await consentPage("ada@example.com", client_id, fields)) };
}

/** All steps up to the code: opens the page, signs in, allows. Returns the redirect to the client. */
export async function authorize(
  email: string,
  client_id: string,
  options: { fields?: Record<string, string | undefined>; scope?: string[]; browser?: Browser } = {},
): Promise<URL> {
  const browser = options.browser ?? new Browser();
  const first = await browser.open(await authorizeUrl(client_id, options.fields));
  const consent = first.url.includes("/sign-in") ? await signInOn(browser, first, email) : first;
  const decision = { decision: "allow", ...(options.scope && { scope: options.scope }) };
  const answer = await browser.submit(consent, decision);
  const location = answer.headers.get("Location");
  if (answer.status !== 302 || !location) throw new Error(`authorize: ${answer.status} ${answer.html}`);
  return new URL(location);
}

export type Tokens = {
  status: number;
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  error?: string;
};

/** Calls the token endpoint. Undefined fields are left out. */
export async function askForTokens(fields: Record<string, string | undefined>): Promise<Tokens> {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await visitor().fetch("/oauth/token", {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(given).toString(),
  });
  const text = await response.text();
  return { ...(text ? JSON.parse(text) : {}), status: response.status };
}

export const exchange = (
  client_id: string,
  code: URL | string | null,
  fields: Record<string, string | undefined> = {},
): Promise<Tokens> =>
  askForTokens({
    grant_type: "authorization_code",
    client_id,
    code: (code instanceof URL ? code.searchParams.get("code") : code) ?? "",
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    resource: RESOURCE,
    ...fields,
  });

export const refresh = (client_id: string, refresh_token: string): Promise<Tokens> =>
  askForTokens({ grant_type: "refresh_token", client_id, refresh_token });

/** A client of /mcp with these tokens. */
export const bearer = (access_token: string) =>
  new Client({ access_token, refresh_token: "", token_type: "bearer", expires_in: 0 });

/** Whose tokens these are, as a session says. */
export const whoamiWith = async ({ access_token }: Pick<Tokens, "access_token">) =>
  use(await initialize(bearer(access_token)), "whoami");

/** A client authorized by this user, with all or some scopes. */
export async function connect(email: string, scope?: string[]) {
  const { client_id } = await registerClient();
  const tokens = await exchange(client_id, await authorize(email, client_id, scope ? { scope } : {}));
  return { client_id, tokens, mcp: bearer(tokens.access_token) };
}
