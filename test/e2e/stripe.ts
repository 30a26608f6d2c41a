import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Stripe } from "stripe";
import type { Event } from "../kit/stripe/account.ts";
import type { Command } from "../kit/stripe/people.ts";
import { accountAt, direct, stripe } from "../kit/stripe/stand-in.ts";
import { happen } from "../kit/stripe/till.ts";
import { listen } from "./loopback.ts";

// The stand-in for Stripe on loopback, with the pages that people pay on, and its messages.

export const KEY = "sk_test_priced";
export const SECRET = "whsec_of_the_stand_in";

const page = (
  title: string,
  action: string,
  button: string,
) => `<!doctype html><html lang="en"><title>${title}</title>
<h1>${title}</h1><form method="post" action="${action}"><button>${button}</button></form>`;

export type StripeApi = {
  url: string;
  settings: Record<string, string>;
  happen: <Answer>(command: Command, key?: string) => Promise<Answer>;
  /** Where its messages go from now on. */
  tellTo: (apiUrl: string) => void;
  close: () => Promise<void>;
};

/** Sends what has happened and was not sent yet. */
function messenger() {
  let to: string | undefined;
  let sent = 0;
  const { webhooks } = new Stripe(KEY);
  const send = async (event: Event) => {
    const payload = JSON.stringify(event);
    const signature = await webhooks.generateTestHeaderStringAsync({ payload, secret: SECRET });
    await fetch(`${to}/api/billing/webhook`, {
      method: "POST",
      body: payload,
      headers: { "Stripe-Signature": signature },
    });
  };
  return {
    to: (apiUrl: string) => {
      to = apiUrl;
    },
    sendAll: async () => {
      const { events } = accountAt(KEY);
      while (to && sent < events.length) await send(events[sent++] as Event);
    },
  };
}

type Page = { title: string; action: string; button: string } | { to: string };

/** What a person does on the pages. */
function onPage(method: string, url: URL): Page | undefined {
  const account = accountAt(KEY);
  const [, kind, id = ""] = url.pathname.split("/");
  if (kind === "pay") {
    const session = account.sessions.get(id);
    if (!session) return undefined;
    if (method === "GET") return { title: "Pay", action: url.href, button: "Subscribe" };
    account.pay(session, "works");
    return { to: session.success_url };
  }
  if (kind !== "portal") return undefined;
  if (method === "GET")
    return { title: "Your subscription", action: url.href, button: "Cancel subscription" };
  for (const one of account.ofCustomer(id)) account.cancelLater(one);
  return { to: url.searchParams.get("back") ?? "" };
}

/** An answer to what was asked of the API, or on a page. */
async function answerTo(method: string, url: URL, init: RequestInit): Promise<Response> {
  const isApi = url.pathname.startsWith("/v1/");
  if (isApi) return stripe(new Request(url, init), url.origin);
  if (url.pathname === "/direct") return direct(new Request(url, init));
  const shown = onPage(method, url);
  if (!shown) return new Response(null, { status: url.pathname === "/favicon.ico" ? 204 : 404 });
  if ("to" in shown) return new Response(null, { status: 303, headers: { Location: shown.to } });
  const html = page(shown.title, shown.action, shown.button);
  return new Response(html, { headers: { "Content-Type": "text/html" } });
}

export async function startStripeApi(): Promise<StripeApi> {
  const messages = messenger();
  const answering = createServer(async (asked, answer) => {
    const { method = "GET", url: path = "/", headers } = asked;
    const body = method === "GET" ? undefined : await text(asked);
    const init = { method, headers: headers as Record<string, string>, ...(body !== undefined && { body }) };
    const given = await answerTo(method, new URL(path, url), init);
    answer.writeHead(given.status, Object.fromEntries(given.headers)).end(await given.text());
    await messages.sendAll().catch(() => undefined);
  });
  const { url, close } = await listen(answering);
  return {
    url,
    settings: { STRIPE_SECRET_KEY: KEY, STRIPE_WEBHOOK_SECRET: SECRET, STRIPE_API_URL: url },
    happen: (command, key = KEY) => happen(command, { at: `${url}/direct`, key }),
    tellTo: messages.to,
    close,
  };
}
