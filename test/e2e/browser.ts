import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

/** Debian's, which starts and computes with a third of the processor time of the whole browser. */
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";

/** The whole browser, because the other one shows no notifications. */
export const WHOLE_CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** How long a page may take for one thing on a busy machine. */
const PATIENCE_MS = 60_000;

/**
 * Chromium 150 loads two pages of its own for the address bar of each window, which is not used here: more than half of a
 * launch. The others are what Playwright 1.65 switches off, which a second list takes the place of.
 */
const OFF = [
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "AvoidUnnecessaryBeforeUnloadCheckSync"],
  ...["DestroyProfileOnBrowserClose", "HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "LensOverlay"],
  ...["MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect"],
  ...["OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"],
];

export async function launch(executablePath = CHROMIUM): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath,
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
      `--disable-features=${OFF.join(",")}`,
    ],
  });
  browser.on("context", (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

export type Account = { email: string; password: string };

/** Signs in on the sign-in page. */
export async function signIn(page: Page, { email, password }: Account): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Signs in to another account without signing out, as after a session that has ended. */
export async function signInElsewhere(context: BrowserContext, account: Account): Promise<Page> {
  const page = await context.newPage();
  await page.goto("/sign-in");
  await signIn(page, account);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

/**
 * Acts for a person whom a client sends here: signs in and allows access. The browser runs no scripts. Returns the
 * address to which the browser was redirected.
 */
export async function allow(browser: Browser, url: URL | string, account: Account): Promise<URL> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(String(url));
  await signIn(page, account);
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL(/[?&](code|error)=/);
  const back = new URL(page.url());
  await context.close();
  return back;
}
