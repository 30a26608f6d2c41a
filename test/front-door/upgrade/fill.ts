import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Secret, TOTP } from "otpauth";
import { ADA } from "../../e2e/accounts.ts";
import { type Ask, askWith, OWN } from "../../e2e/ask.ts";
import { launch } from "../../e2e/browser.ts";
import { callbackServer } from "../../e2e/loopback.ts";
import { OAuthPerson } from "../../e2e/oauth-person.ts";
import type { Fixture } from "./fixture.ts";

// What Ada and Grace do with an earlier release. Days are so far off that nothing comes due.

const GRACE = { email: "grace@example.com", password: "another horse battery" };

/** Writes something new and returns its id. */
const writer =
  <Id>(ask: Ask, path: string) =>
  async (what: object) =>
    (await ask<{ id: Id }>("POST", path, what)).id;

const markdown = (text: string) => ({ format: "markdown", text });

const LONG = [
  "# Field notes",
  ...Array.from(
    { length: 400 },
    (_, day) => `Day ${day + 1}: ${day * 7 + 3} birds by the lake, wind from the west.`,
  ),
  "On the last day a quokka came to the tent.",
].join("\n\n");

async function writeDocuments(ask: Ask) {
  const folder = await writer<string>(ask, "/api/folders")({ name: "Travel" });
  const write = writer<string>(ask, "/api/documents");
  const documents = {
    long: await write({ title: "Field notes", content: markdown(LONG), folder_id: folder }),
    tagged: await write({
      title: "Packing list",
      content: markdown("- [x] passport\n- [ ] tent"),
      tags: ["travel", "lists"],
    }),
    changed: await write({ title: "Soup", content: markdown("Two onions"), tags: ["kitchen"] }),
    trashed: await write({ title: "Old draft", content: markdown("Nothing yet") }),
  };
  await ask("PUT", `/api/documents/${documents.changed}`, {
    title: "Onion soup",
    content: markdown("Three onions"),
  });
  await ask("DELETE", `/api/documents/${documents.trashed}`);
  return { folder, documents };
}

async function remember(ask: Ask, document_id: string): Promise<Fixture["memories"]> {
  const write = writer<number>(ask, "/api/memories");
  const commitment = { memory_type: "commitment", project: "Apollo", scope: "work" };
  const memories = {
    commitment: await write({
      ...commitment,
      topic: "Send Grace the slides",
      content: "She needs them for the board",
      due_date: "2099-03-01",
      tags: ["board"],
      document_id,
    }),
    resolved: await write({ ...commitment, topic: "Book the room", content: "For twelve people" }),
    deferred: await write({ ...commitment, topic: "Order the cake", content: "With almonds" }),
    replaced: await write({ memory_type: "decision", topic: "Where to meet", content: "In the library" }),
  };
  await ask("POST", `/api/memories/${memories.resolved}/resolve`, { resolution_note: "Room 4" });
  await ask("POST", `/api/memories/${memories.deferred}/defer`, {
    deferred_until: "2099-06-01",
    note: "After the holidays",
  });
  await ask("POST", `/api/memories/${memories.replaced}/supersede`, { content: "In the town hall" });
  const replaced = await ask<{ superseded_by_id: number }>("GET", `/api/memories/${memories.replaced}`);
  return { ...memories, decision: replaced.superseded_by_id };
}

async function addAuthenticator(ask: Ask): Promise<string> {
  const { secret } = await ask<{ secret: string }>("POST", "/api/auth/second-factor", {
    password: GRACE.password,
  });
  await ask("POST", "/api/auth/second-factor/confirm", {
    code: new TOTP({ secret: Secret.fromBase32(secret) }).generate(),
  });
  return secret;
}

/** Connects an MCP client, as its user's browser allows it. */
async function connect(mcp_url: string): Promise<Fixture["client"]> {
  const [browser, callback] = await Promise.all([launch(), callbackServer()]);
  const person = new OAuthPerson(`${callback.url}/callback`, browser, ADA);
  const transport = new StreamableHTTPClientTransport(new URL(mcp_url), { authProvider: person as never });
  await new Client({ name: "official", version: "1.0.0" }).connect(transport).catch(() => undefined);
  await transport.finishAuth(person.back);
  await Promise.all([browser.close(), callback.close()]);
  const { client_id } = person.client as { client_id: string };
  const { refresh_token } = person.given as { refresh_token: string };
  return { client_id, redirect_uri: person.redirectUrl, refresh_token };
}

type Tokens = { access_token: string; refresh_token: string };

/** Registers Ada and Grace, and has them do what they do. */
export async function fill(apiUrl: string, mcpUrl: string, secrets: Fixture["secrets"]): Promise<Fixture> {
  const post = (path: string, body: object, headers = {}) =>
    fetch(apiUrl + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const register = async (account: object) =>
    (await (await post("/api/auth/register", account)).json()) as Tokens;
  const { access_token, refresh_token } = await register(ADA);
  const ask = askWith(apiUrl, access_token);
  const inBrowser = await post("/api/auth/login", { ...ADA, session: "cookie" }, OWN);
  const [cookie = ""] = (inBrowser.headers.get("set-cookie") ?? "").split(";");
  const scopes = ["docs:read", "docs:write", "memory:read", "memory:write"];
  const { key: api_key } = await ask<{ key: string }>("POST", "/api/api-keys", {
    name: "Backup script",
    scopes,
  });
  const { folder, documents } = await writeDocuments(ask);
  const grace = await register(GRACE);
  const mcp_url = `${mcpUrl}/mcp`;
  return {
    secrets,
    mcp_url,
    ada: { ...ADA, refresh_token, cookie, api_key },
    grace: { ...GRACE, totp_secret: await addAuthenticator(askWith(apiUrl, grace.access_token)) },
    client: await connect(mcp_url),
    folder,
    documents,
    memories: await remember(ask, documents.long),
  };
}
