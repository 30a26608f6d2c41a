import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import getPort from "get-port";
import { readJsonFile } from "../common/json-file.ts";
import { openBrowser } from "./browser.ts";

// OAuth for the bridge. The user allows access once in the browser; the tokens are stored in the state folder.

type SavedSignIn = { port: number; client?: object; tokens?: object; discovery?: object };

const PAGE = `<!doctype html><meta charset="utf-8"><title>Commonplace</title>
<p style="font:1.2rem system-ui;margin:3rem">You are signed in: you can close this window.</p>`;

export type BrowserSignIn = {
  provider: OAuthClientProvider;
  /** Resolves with the parameters of the browser's redirect. */
  waitForRedirect: () => Promise<URLSearchParams>;
};

/** The sign-in at an address, with the stored client and tokens. A client is registered for one loopback port. */
export async function createBrowserSignIn(url: string, stateDir: string): Promise<BrowserSignIn> {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const name = createHash("sha256").update(url).digest("hex").slice(0, 16);
  const file = join(stateDir, `client-${name}.json`);
  const earlier = readJsonFile<SavedSignIn>(file);
  const port = await getPort(earlier ? { port: earlier.port } : {});
  const saved: SavedSignIn = earlier?.port === port ? earlier : { port };
  const save = (more: Partial<SavedSignIn>) => {
    Object.assign(saved, more);
    writeFileSync(file, JSON.stringify(saved), { mode: 0o600 });
  };
  const redirectUrl = `http://127.0.0.1:${port}/callback`;
  const state = randomBytes(16).toString("base64url");
  const callback = Promise.withResolvers<URLSearchParams>();
  let verifier = "";
  let server: Server | undefined;

  const listen = () => {
    server ??= createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", redirectUrl);
      const isOurs = pathname === "/callback" && searchParams.get("state") === state;
      response.writeHead(isOurs ? 200 : 404, { "Content-Type": "text/html; charset=utf-8" });
      response.end(isOurs ? PAGE : "");
      if (isOurs) callback.resolve(searchParams);
    }).listen(port, "127.0.0.1");
  };

  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: "Commonplace on the command line",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    state: () => state,
    clientInformation: () => saved.client as never,
    saveClientInformation: (client) => save({ client }),
    tokens: () => saved.tokens as never,
    saveTokens: (tokens) => save({ tokens }),
    saveCodeVerifier: (value) => {
      verifier = value;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (discovery) => save({ discovery }),
    discoveryState: () => saved.discovery as never,
    redirectToAuthorization: (page) => {
      if (!/^https?:$/.test(page.protocol)) throw new Error(`The sign-in page of ${url} is not a web page`);
      listen();
      openBrowser(page.href, "Allow access in your browser");
    },
  };
  const answer = async () => {
    const params = await callback.promise;
    server?.close();
    server?.closeAllConnections();
    return params;
  };
  return { provider, waitForRedirect: answer };
}
