import { createHash, randomBytes } from "node:crypto";

// An MCP client and its user in one, without a browser, to get a token through the real consent page.

const REDIRECT = "http://127.0.0.1:9/callback";

/** Submits the service's pages, with their forms and cookies. */
class Pages {
  private readonly cookies = new Map<string, string>();

  async send(url: string, fields?: [string, string][]): Promise<{ html: string; location: string }> {
    const answer = await fetch(url, {
      redirect: "manual",
      headers: {
        Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(fields && { Origin: new URL(url).origin }),
      },
      ...(fields && { method: "POST", body: new URLSearchParams(fields) }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.cookies.set(name, value);
    }
    const location = answer.headers.get("Location");
    return { html: await answer.text(), location: location ? new URL(location, url).href : "" };
  }

  /** Submits the first form of a page, with additional fields. */
  submit(url: string, html: string, own: [string, string][]) {
    const form = /<form[\s\S]*?<\/form>/.exec(html)?.[0] ?? "";
    const value = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
    const action = value(form, "action").replaceAll("&amp;", "&");
    const fields = (form.match(/<input[^>]*>/g) ?? [])
      .filter((tag) => ["hidden", "checkbox"].includes(value(tag, "type")))
      .map((tag): [string, string] => [value(tag, "name"), value(tag, "value")]);
    return this.send(new URL(action, url).href, [...fields, ...own]);
  }
}

/** Registers a client, authorizes it as this user, and returns its access token. */
export async function grantToken(
  mcpUrl: string,
  account: { email: string; password: string },
): Promise<string> {
  const registered = await fetch(`${mcpUrl}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      client_name: "Bench",
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "none",
    }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: REDIRECT,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const pages = new Pages();
  const { location: signIn } = await pages.send(`${mcpUrl}/authorize?${query}`);
  const form = await pages.send(signIn);
  const { location: authorize } = await pages.submit(signIn, form.html, Object.entries(account));
  const consent = await pages.send(authorize);
  const { location } = await pages.submit(authorize, consent.html, [["decision", "allow"]]);
  const answer = await fetch(`${mcpUrl}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id,
      code: new URL(location).searchParams.get("code") ?? "",
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}
