import { exports } from "cloudflare:workers";
import type { RouteConfig, z } from "@hono/zod-openapi";
import { app } from "../../src/app.ts";
import type { TokenAnswer } from "../../src/contract/auth.ts";
import { ERROR_CODES } from "../../src/contract/error-codes.ts";
import { loginRoute, registerRoute } from "../../src/features/auth/routes.ts";
import { ErrorBody } from "../../src/platform/core/errors.ts";
import { PASSWORD } from "./password.ts";

// Calls the service through its front door, and checks every answer against its route: the status must be
// declared there, and the body must match that status's schema exactly.

export const BASE = "https://commonplace.test";

/** The contents of a request to a route. */
export type Parts = {
  params?: Record<string, string>;
  query?: Record<string, string | number | string[]>;
  json?: unknown;
  body?: string;
  headers?: Record<string, string>;
};

export type Answer<Body = never> = { status: number; headers: Headers; body: Body; text: string };

/** A route's full path. The mounted copy of a route shares its responses object. */
function pathOf(route: RouteConfig): string {
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type === "route" && definition.route.responses === route.responses)
      return definition.route.path;
  }
  throw new Error(`Not mounted: ${route.method} ${route.path}`);
}

export function urlOf(route: RouteConfig, { params = {}, query = {} }: Parts): string {
  const path = pathOf(route).replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
  const url = new URL(path, BASE);
  for (const [name, value] of Object.entries(query)) {
    for (const item of [value].flat()) url.searchParams.append(name, String(item));
  }
  return url.href;
}

type Declared = { content?: Record<string, { schema: z.ZodType } | undefined> };

function checkContract(route: RouteConfig, status: number, text: string): unknown {
  const declared = route.responses[status] as Declared | undefined;
  const name = `${route.method.toUpperCase()} ${route.path}`;
  if (!declared) throw new Error(`${name} answered ${status}, which it does not declare: ${text}`);
  const schema = declared.content?.["application/json"]?.schema;
  if (!schema) {
    if (text !== "" && !declared.content)
      throw new Error(`${name} answered ${status} with a body that it does not declare: ${text}`);
    return undefined;
  }
  return schema.parse(JSON.parse(text));
}

/** Checks that a refusal has a code, and that a write whose answer names its change says so in its description. */
function checkHeaders(route: RouteConfig, { status, headers }: Response): void {
  const code = headers.get("Error-Code");
  if (status >= 400 !== (code !== null && Object.hasOwn(ERROR_CODES, code)))
    throw new Error(`${route.method.toUpperCase()} ${route.path} answered ${status} with the code ${code}`);
  const declared = route.responses[status] as { headers?: { shape?: object } } | undefined;
  if (headers.has("Change-Id") && !Object.hasOwn(declared?.headers?.shape ?? {}, "Change-Id"))
    throw new Error(`${route.method.toUpperCase()} ${route.path} does not declare Change-Id with ${status}`);
}

type BodyOf<Route extends RouteConfig> = {
  [Status in keyof Route["responses"]]: Status extends 200 | 201
    ? Route["responses"][Status] extends {
        content: { "application/json": { schema: infer Schema extends z.ZodType } };
      }
      ? z.infer<Schema>
      : never
    : never;
}[keyof Route["responses"]];

/** A client at one address, signed in with the token of one session or not signed in. */
export class Client {
  tokens: TokenAnswer | undefined;
  readonly address: string;

  constructor(tokens?: TokenAnswer, address = randomAddress()) {
    this.tokens = tokens;
    this.address = address;
  }

  /** Sends any request, unchanged, with this client's token and address. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.tokens && !headers.has("Authorization")) {
      headers.set("Authorization", `Bearer ${this.tokens.access_token}`);
    }
    if (!headers.has("CF-Connecting-IP")) headers.set("CF-Connecting-IP", this.address);
    return exports.default.fetch(new Request(new URL(path, BASE), { ...init, headers }));
  }

  /** Calls a route and checks the answer against its declaration. The body of an error is `{detail}`. */
  async call<Route extends RouteConfig>(route: Route, parts: Parts = {}): Promise<Answer<BodyOf<Route>>> {
    const json = parts.json === undefined ? undefined : JSON.stringify(parts.json);
    const body = parts.body ?? json;
    const described = body !== undefined && {
      "Content-Type": "application/json",
      // As every client of HTTP says it.
      "Content-Length": String(new TextEncoder().encode(body).length),
    };
    const headers = { ...described, ...parts.headers };
    const response = await this.fetch(urlOf(route, parts), {
      method: route.method.toUpperCase(),
      headers,
      body,
    });
    const text = await response.text();
    const checked = checkContract(route, response.status, text);
    checkHeaders(route, response);
    return { status: response.status, headers: response.headers, body: checked as BodyOf<Route>, text };
  }

  /** Calls a route that must succeed, and returns the body. */
  async ok<Route extends RouteConfig>(route: Route, parts: Parts = {}): Promise<BodyOf<Route>> {
    const answer = await this.call(route, parts);
    if (answer.status >= 300)
      throw new Error(`${route.method} ${route.path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** Calls a route that must refuse, and returns the status and the text. */
  async refusal(route: RouteConfig, parts: Parts = {}): Promise<{ status: number; detail: string }> {
    const answer = await this.call(route, parts);
    if (answer.status < 400)
      throw new Error(`${route.method} ${route.path}: ${answer.status}, expected an error`);
    return { status: answer.status, ...ErrorBody.parse(JSON.parse(answer.text)) };
  }
}

export { PASSWORD };

const randomAddress = () => `10.${[1, 2, 3].map(() => Math.floor(Math.random() * 256)).join(".")}`;

/** A client without an account. */
export const visitor = () => new Client();

let people = 0;

/** A client with a new account, signed in. */
export async function person(fields: { email?: string; timezone?: string } = {}): Promise<Client> {
  const client = visitor();
  const email = fields.email ?? `person${++people}@example.com`;
  const answer = await client.ok(registerRoute, { json: { email, password: PASSWORD, ...fields } });
  client.tokens = answer as TokenAnswer;
  return client;
}

/** Another session of an account, from another address. */
export async function signIn(email: string, password = PASSWORD): Promise<Client> {
  const client = visitor();
  client.tokens = (await client.ok(loginRoute, { json: { email, password } })) as TokenAnswer;
  return client;
}
