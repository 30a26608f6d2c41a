import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { SMTPServer, type SMTPServerSession } from "smtp-server";
import { afterAll, expect, test } from "vitest";
import { totpCodeAt } from "../kit/totp.ts";
import { ADA } from "./accounts.ts";
import { enter, openApp, violations } from "./app.ts";
import { signIn } from "./browser.ts";
import { register, until } from "./service.ts";
import { stageFor } from "./stage.ts";

// What leaves the service: mails over SMTP, and what a browser's own authenticator signs.

const NEXT = "a quite different password";
const USER = { user: "notes", pass: "p@ss word" };

let server: SMTPServer;
/** Each mail with its envelope, as the server got it. */
const mails: { from: string; to: string; user: string; isSecure: boolean; source: string }[] = [];

/** A certificate for localhost, which only this test trusts. */
function certify(path: string) {
  const [key, cert] = [join(path, "key.pem"), join(path, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert];
  execFileSync("openssl", [...made, ...subject], { stdio: "ignore" });
  return { cert, tls: { key: readFileSync(key), cert: readFileSync(cert) } };
}

/** Ends a connection as a server does that waits for no QUIT. */
function hangUp(session: SMTPServerSession): void {
  const { connections } = server as unknown as { connections: Set<{ session: unknown; _socket: Socket }> };
  for (const connection of connections) if (connection.session === session) connection._socket.end();
}

/** Why a mail to this address is refused. */
const refusalOf = (address: string) => {
  const responseCode = { refused: 550, busy: 451 }[address.split("@")[0] ?? ""];
  return responseCode && Object.assign(new Error("Not now, or never"), { responseCode });
};

const stage = stageFor(async (folder) => {
  const { cert, tls } = certify(folder);
  server = new SMTPServer({
    ...tls,
    authOptional: false,
    onAuth: ({ username, password }, _, callback) =>
      username === USER.user && password === USER.pass
        ? callback(null, { user: username })
        : callback(new Error("Wrong password")),
    onRcptTo: ({ address }, _, callback) => callback(refusalOf(address) || null),
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address).join(),
          user: String(session.user),
          isSecure: session.secure,
          source: Buffer.concat(chunks).toString(),
        });
        callback();
        if (rcptTo.some(({ address }) => address.startsWith("cut"))) hangUp(session);
      });
    },
  });
  server.listen(0);
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    SMTP_URL: `smtp://${USER.user}:${encodeURIComponent(USER.pass)}@localhost:${port}`,
    MAIL_FROM: "Commonplace <notes@example.com>",
    NODE_EXTRA_CA_CERTS: cert,
  };
});

afterAll(() => server?.close());

const decoded = (source: string) =>
  [...source.matchAll(/base64\r\n\r\n([\w+/=\r\n]+)/g)].map(([, text = ""]) =>
    Buffer.from(text, "base64").toString(),
  );

/** The link in the mail with this subject, once it has come. */
async function linkIn(subject: string): Promise<string> {
  const find = () => mails.find(({ source }) => source.includes(`Subject: ${subject}\r\n`));
  await until(
    () => find() !== undefined,
    () => `no mail "${subject}" has come:\n${stage.service.output()}`,
  );
  return /http:\/\/\S+/.exec(decoded(find()?.source ?? "")[0] ?? "")?.[0] ?? "";
}

test("a forgotten password is reset with the link in a mail that came over SMTP", async () => {
  await register(stage.service.apiUrl, ADA);
  const { page, complaints, close } = await openApp(stage.browser, stage.service.apiUrl);
  await page.goto("/sign-in");
  await page.getByRole("link", { name: "Forgot password?" }).click();
  await page.getByLabel("Email").fill(ADA.email);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Send me a link" }).click();
  await page.getByRole("heading", { name: "Check your inbox" }).waitFor();

  const link = await linkIn("Set a new password");
  expect(link).toMatch(new RegExp(`^${stage.service.apiUrl}/sign-in/new-password#1\\.[\\w-]{43}$`));
  expect(mails.at(-1)).toMatchObject({ from: "notes@example.com", to: ADA.email, user: USER.user });
  expect(mails.every(({ isSecure }) => isSecure)).toBe(true);
  expect(mails.at(-1)?.source).toMatch(/^From: Commonplace <notes@example.com>\r\nTo: ada@example.com\r\n/m);

  await page.goto(link);
  await page.waitForURL((url) => url.hash === "");
  expect(await page.getByLabel("Code from the email").isVisible()).toBe(false);
  await page.getByLabel("New password").fill(NEXT);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("heading", { name: "Your new password is set" }).waitFor();
  await page.getByRole("link", { name: "Sign in" }).click();
  await signIn(page, { ...ADA, password: NEXT });
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
  await linkIn("Your password was changed");
  expect(stage.service.output()).not.toContain(link.split("#")[1]);
  expect(complaints).toEqual([]);
  await close();
});

test.for([
  ["cut@example.com", 202, null],
  ["refused@example.com", 503, "1"],
  // Only what was refused for the time being is sent again by itself.
  ["busy@example.com", 503, "60"],
] as const)(
  "a mail to %s is sent if the server has accepted it, and not otherwise: %i",
  async ([email, status, retryAfter]) => {
    const token = await register(stage.service.apiUrl, { ...ADA, email });
    const answer = await fetch(`${stage.service.apiUrl}/api/auth/email/verification`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
    });
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([status, retryAfter]);
    expect(mails.some(({ to }) => to === email)).toBe(status === 202);
  },
);

test("the address is changed in the settings, which name what is refused as they name the fields", async () => {
  const grace = { ...ADA, email: "grace@example.com" };
  await register(stage.service.apiUrl, grace);
  const app = await openApp(stage.browser, stage.service.apiUrl);
  const { page, complaints, close } = app;
  await enter(app, grace, "/settings");
  const security = page.getByRole("region", { name: "Password", exact: true });
  await security.getByLabel("Current password").fill(grace.password);
  await security.getByLabel("New password").fill("password");
  await security.getByRole("button", { name: "Change password" }).click();
  await security.getByText("New password is too common: choose another one").waitFor();
  const address = page.getByRole("region", { name: "Email address" });
  await address.getByRole("button", { name: "Email me the link" }).click();
  await page.getByText("A link is on its way to you").waitFor();
  await address.getByLabel("Password").fill(grace.password);
  await address.getByLabel("New email address").fill("grace");
  await address.getByRole("button", { name: "Change address" }).click();
  await address.getByText("Email must be an email address").waitFor();
  expect(complaints.splice(0)).toHaveLength(4);
  await address.getByLabel("New email address").fill("hopper@example.com");
  await address.getByRole("button", { name: "Change address" }).click();
  await page.getByText("Open the link we emailed to hopper@example.com").waitFor();
  expect(await address.getByRole("alert").count()).toBe(0);
  await page.goto(await linkIn("Confirm your new email address"));
  await page.getByRole("button", { name: "Confirm the new address" }).click();
  await page.getByRole("heading", { name: "Your address has been changed" }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

/** Chromium's own authenticator, which presses its button by itself. */
async function giveAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Turns the second factor on in the settings; returns the recovery codes. */
async function turnFactorOn(page: Page): Promise<string[]> {
  await page.getByRole("button", { name: "Turn on…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Password").fill(NEXT);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("button", { name: "Copy the secret" }).waitFor();
  await dialog
    .getByRole("textbox", { name: "Code" })
    .fill(totpCodeAt(await dialog.locator("pre").innerText(), new Date()));
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await dialog.getByRole("button", { name: "Copy the recovery codes" }).waitFor();
  const codes = (await dialog.locator("pre").innerText()).split("\n");
  await dialog.getByRole("button", { name: "I’ve saved them" }).click();
  await page.getByText("with 10 recovery codes left").waitFor();
  return codes;
}

test("a passkey is added in the settings with a code of the second factor, and signs in on the page", async () => {
  const app = await openApp(stage.browser, stage.service.apiUrl);
  const { page, complaints, close } = app;
  await giveAuthenticator(page);
  await enter(app, { ...ADA, password: NEXT }, "/settings");
  const [code = ""] = await turnFactorOn(page);
  await page.getByRole("button", { name: "Add a passkey…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Laptop");
  await dialog.getByLabel("Password").fill(NEXT);
  await dialog.getByRole("textbox", { name: "Code" }).fill("AAAA");
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.getByText("The code is wrong").waitFor();
  expect(complaints.splice(0)).toHaveLength(2);
  await dialog.getByRole("textbox", { name: "Code" }).fill(code);
  await dialog.getByRole("button", { name: "Add" }).click();
  await page.getByRole("list", { name: "Passkeys" }).getByText("Laptop").waitFor();
  await page.getByText("with 9 recovery codes left").waitFor();
  await page
    .getByRole("list", { name: "Security events" })
    .getByText("A passkey was added: Laptop")
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.waitForURL(/\/sign-in/);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});
