import type { Browser } from "playwright-core";
import { type Account, allow } from "./browser.ts";

type Saved = Record<string, unknown>;

/**
 * The part of an OAuth client that a program must provide to both of the official SDKs: it stores what it is given, and
 * sends its user to a browser.
 */
export class OAuthPerson {
  client: Saved | undefined;
  given: Saved | undefined;
  verifier = "";
  discovered: Saved | undefined;
  /** The parameters of the redirect: code, state and issuer. */
  back = new URLSearchParams();
  /** How often the user was sent to a page. */
  asked = 0;
  /** How often tokens were saved. */
  saved = 0;

  readonly redirectUrl: string;
  private readonly browser: Browser;
  private readonly account: Account;

  constructor(redirectUrl: string, browser: Browser, account: Account) {
    this.redirectUrl = redirectUrl;
    this.browser = browser;
    this.account = account;
  }

  get clientMetadata() {
    return {
      client_name: "Official client",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

  clientInformation = () => this.client as never;
  tokens = () => this.given as never;
  codeVerifier = () => this.verifier;
  discoveryState = () => this.discovered as never;

  saveDiscoveryState(state: object): void {
    this.discovered = state as Saved;
  }

  saveClientInformation(client: object): void {
    this.client = client as Saved;
  }

  saveTokens(tokens: object): void {
    this.given = tokens as Saved;
    this.saved += 1;
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    this.asked += 1;
    const back = await allow(this.browser, url, this.account);
    this.back = back.searchParams;
  }
}
