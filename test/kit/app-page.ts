import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/app.ts";
import type { Env } from "../../src/env.ts";
import { registerRoute } from "../../src/features/auth/routes.ts";
import { BASE, Client, PASSWORD } from "./client.ts";

/** What the app sends with every request; the first of the two is the browser's own. */
export const APP_HEADERS = { "Sec-Fetch-Site": "same-origin", "X-Requested-With": "commonplace" };

/** A page of the app: it holds no tokens, and its browser keeps the session cookie. */
export class AppPage extends Client {
  /** The session cookie as the browser sends it, `name=value`. */
  cookie: string | undefined;
  /** The last Set-Cookie header. */
  setCookie: string | undefined;
  /** Headers that this page does not send. */
  unsent: string[] = [];
  readonly base: string;
  readonly env: Partial<Env>;

  constructor({ base = BASE, env = {} }: { base?: string; env?: Partial<Env> } = {}) {
    super();
    this.base = base;
    this.env = env;
  }

  /** The secret in the cookie. */
  get secret(): string {
    return this.cookie?.split(".").at(-1) ?? "";
  }

  /** Another page of the same browser, or of one that has stolen its cookie. */
  copy(fields: Partial<Env> = {}): AppPage {
    const page = new AppPage({ base: this.base, env: { ...this.env, ...fields } });
    page.cookie = this.cookie;
    return page;
  }

  override async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers({ ...APP_HEADERS, "CF-Connecting-IP": this.address });
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    for (const name of this.unsent) headers.delete(name);
    if (this.cookie) headers.append("Cookie", this.cookie);
    const context = createExecutionContext();
    const { pathname, search } = new URL(path, BASE);
    const request = new Request(new URL(pathname + search, this.base), { ...init, headers });
    const answer = await app.fetch(request, { ...env, ...this.env }, context);
    await waitOnExecutionContext(context);
    const [set] = answer.headers.getSetCookie().filter((one) => !one.includes("-form="));
    this.setCookie = set;
    if (set) this.cookie = /max-age=0/i.test(set) ? undefined : set.split(";")[0];
    return answer;
  }
}

/** A person who has just created an account in the app. */
export async function personInApp(
  email = "ada@example.com",
  options: { base?: string; env?: Partial<Env> } = {},
): Promise<AppPage> {
  const page = new AppPage(options);
  await page.ok(registerRoute, { json: { email, password: PASSWORD, session: "cookie" } });
  return page;
}
