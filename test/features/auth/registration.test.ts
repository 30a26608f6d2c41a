import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { app } from "../../../src/app.ts";
import {
  createAccount,
  deleteAccount,
  listAccounts,
  resetPassword,
  setClosed,
  setPlan,
  setRole,
} from "../../../src/features/admin/store.ts";
import {
  createInvitation,
  createSetUpCode,
  overrideRegistration,
  registrationLinkRetention,
} from "../../../src/features/auth/registration-store.ts";
import {
  deleteMeRoute,
  getMeRoute,
  loginRoute,
  refreshRoute,
  registerRoute,
} from "../../../src/features/auth/routes.ts";
import { getSubscriptionRoute } from "../../../src/features/billing/routes.ts";
import { createDocumentRoute, listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import type { BaseCtx } from "../../../src/platform/core/ctx.ts";
import { openBaseCtx } from "../../../src/platform/db/session.ts";
import { resetWith } from "../../kit/accounts.ts";
import { atOnce } from "../../kit/at-once.ts";
import { BASE, PASSWORD, person, signIn, visitor } from "../../kit/client.ts";
import { keyOf } from "../../kit/scopes.ts";

// Who can create an account, and what the operator can do with accounts.

const base = () => openBaseCtx(env.DB);
const later = (days: number): BaseCtx => ({ ...base(), now: new Date(Date.now() + days * 86_400_000) });

const register = (email: string, code?: string) =>
  visitor().call(registerRoute, { json: { email, password: PASSWORD, ...(code !== undefined && { code }) } });
const rolesOf = async () => (await listAccounts(base())).map(({ email, role }) => [email, role]);

test("an invitation is good for one account", async () => {
  await overrideRegistration(base(), "invite");
  expect(await register("ada@example.com")).toMatchObject({ status: 403 });
  const code = await createInvitation(base());
  for (const guess of ["", code.slice(1), `${code}x`, "a".repeat(43)])
    expect([403, 422]).toContain((await register("ada@example.com", guess)).status);
  expect(await register("ada@example.com", code)).toMatchObject({ status: 201 });
  expect(await register("bob@example.com", code)).toMatchObject({ status: 403 });
  expect(await rolesOf()).toEqual([["ada@example.com", "member"]]);
});

test("an invitation for an address is good for no other, and for 7 days; a taken address does not use it up", async () => {
  await overrideRegistration(base(), "invite");
  const forAda = await createInvitation(base(), "ada@example.com");
  expect(await register("bob@example.com", forAda)).toMatchObject({ status: 403 });
  expect(await register("Ada@Example.com", forAda)).toMatchObject({ status: 201 });
  const forAnybody = await createInvitation(base());
  expect(await register("ada@example.com", forAnybody)).toMatchObject({ status: 400 });
  expect(await register("bob@example.com", forAnybody)).toMatchObject({ status: 201 });

  const old = await createInvitation(later(-8));
  expect(await register("cy@example.com", old)).toMatchObject({ status: 403 });
  await registrationLinkRetention.run(base());
  expect(await env.DB.prepare("SELECT count(*) AS n FROM registration_links").first("n")).toBe(0);
});

test("of many registrations with one set-up link, one succeeds, and it is the admin's", async () => {
  await overrideRegistration(base(), "closed");
  const first = await createSetUpCode(base());
  const code = await createSetUpCode(base());
  expect(await register("eve@example.com", first)).toMatchObject({ status: 403 });
  const answers = await atOnce(8, (n) => register(`admin${n}@example.com`, code));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(403)]);
  expect((await rolesOf()).map(([, role]) => role)).toEqual(["admin"]);
  expect(await register("eve@example.com", code)).toMatchObject({ status: 403 });
  await expect(createSetUpCode(base())).rejects.toThrow("There is already an admin");
});

test("a set-up link is worth nothing once there is an admin, however that came about", async () => {
  await overrideRegistration(base(), "invite");
  const code = await createSetUpCode(base());
  await register("ada@example.com", await createInvitation(base()));
  await setRole(base(), "ada@example.com", "admin");
  expect(await register("eve@example.com", code)).toMatchObject({ status: 403 });
  expect(await rolesOf()).toEqual([["ada@example.com", "admin"]]);
});

test("where strangers can register, the first account is not the admin's", async () => {
  const body = JSON.stringify({ email: "eve@example.com", password: PASSWORD });
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
  const { LOCAL_ONLY: _, ...reachable } = env;
  const context = createExecutionContext();
  expect((await app.request(`${BASE}/api/auth/register`, init, reachable, context)).status).toBe(201);
  await waitOnExecutionContext(context);
  expect(await rolesOf()).toEqual([["eve@example.com", "member"]]);
});

test("closing the registration stops invitations, and keeps everybody who has an account", async () => {
  const ada = await person({ email: "ada@example.com" });
  const code = await createInvitation(base());
  await overrideRegistration(base(), "closed");
  const refused = await register("bob@example.com", code);
  expect(refused).toMatchObject({ status: 403 });
  expect(await ada.ok(getMeRoute)).toMatchObject({ email: "ada@example.com" });
  await overrideRegistration(base(), undefined);
  expect(await register("bob@example.com")).toMatchObject({ status: 201 });
});

test("the pages take the code of a link, and say who can get one", async () => {
  await overrideRegistration(base(), "invite");
  const page = async (path: string) => (await app.request(`${BASE}${path}`, {}, env)).text();
  expect(await page("/sign-in")).toContain("npm run admin -- setup");
  expect(await page("/sign-in/register")).toContain('name="code"');
  await overrideRegistration(base(), "closed");
  expect(await page("/sign-in/register")).toContain('name="code"');
  await register("ada@example.com", await createSetUpCode(base()));
  expect(await page("/sign-in/register")).toContain("Registration is closed");
  expect(await page("/sign-in")).not.toContain("npm run admin");
});

test("a person at the machine creates the first account; a stranger is not told whether there is one", async () => {
  const at = (path: string, more: object) => app.request(`${BASE}${path}`, {}, { ...env, ...more });
  const first = await at("/sign-in?to=/documents", {});
  expect([first.status, first.headers.get("Location")]).toEqual([303, "/sign-in/register?to=/documents"]);
  expect(await (await at("/sign-in/register", {})).text()).toContain("Create the first account");
  const stranger = { LOCAL_ONLY: "false" };
  const [signIn, form] = [await at("/sign-in", stranger), await at("/sign-in/register", stranger)];
  const before = [await signIn.text(), await form.text()];
  await person({ email: "ada@example.com" });
  const after = await Promise.all(["/sign-in", "/sign-in/register"].map((path) => at(path, stranger)));
  const plain = (html: string) => html.replaceAll(/value="[\w-]{43}"/g, "");
  expect(await Promise.all(after.map(async (page) => plain(await page.text())))).toEqual(before.map(plain));
  expect((await at("/sign-in", {})).status).toBe(200);
  expect(await (await at("/sign-in/register", {})).text()).not.toContain("the first account");
});

test.each([
  ["a mail server", {}, "We’ll send you a link"],
  ["a terminal", { EMAIL: undefined, MAIL: "terminal" }, "printed in its operator"],
  ["neither", { EMAIL: undefined, MAIL: "" }, "Ask its operator"],
])("a forgotten password on a copy with %s: the page says where the link arrives", async (_, more, told) => {
  const page = await app.request(`${BASE}/sign-in/forgot`, {}, { ...env, ...more });
  expect(await page.text()).toContain(told);
});

test("a closed account refuses every credential until it is opened, and keeps everything", async () => {
  await person({ email: "admin@example.com" });
  const ada = await person({ email: "ada@example.com" });
  await ada.ok(createDocumentRoute, { json: { title: "Kept" } });
  const key = await keyOf(ada, ["docs:read"]);
  const script = () => key.call(listDocumentsRoute);
  expect(await script()).toMatchObject({ status: 200 });

  await setClosed(base(), "ada@example.com", true);
  expect(await ada.call(getMeRoute)).toMatchObject({ status: 401 });
  expect(await script()).toMatchObject({ status: 401 });
  const refresh = () =>
    visitor().call(refreshRoute, { json: { refresh_token: ada.tokens?.refresh_token ?? "" } });
  expect(await refresh()).toMatchObject({ status: 401 });
  const tryPassword = (password: string) =>
    visitor().call(loginRoute, { json: { email: "ada@example.com", password } });
  expect(await tryPassword("a wrong password")).toMatchObject({ status: 401 });
  expect(await tryPassword(PASSWORD)).toMatchObject({ status: 403, text: expect.stringContaining("closed") });

  await setClosed(base(), "ada@example.com", false);
  expect(await ada.ok(listDocumentsRoute)).toMatchObject({ total: 1 });
  expect(await script()).toMatchObject({ status: 200 });
  expect(await refresh()).toMatchObject({ status: 200 });
});

test("the operator creates accounts and resets passwords by links, which work once", async () => {
  await overrideRegistration(base(), "closed");
  const json = { email: "ada@example.com", password: PASSWORD };
  const first = await createAccount(base(), "ada@example.com", "team");
  expect(await visitor().call(loginRoute, { json })).toMatchObject({ status: 401 });
  expect(await resetWith(first, PASSWORD)).toMatchObject({ status: 204 });
  expect(await resetWith(first, "stolen, later on")).toMatchObject({ status: 400 });
  const ada = await signIn("ada@example.com");
  expect(await ada.ok(getSubscriptionRoute)).toMatchObject({ plan_tier: "team" });
  expect(await ada.ok(getMeRoute)).toMatchObject({ role: "member" });
  await expect(createAccount(base(), "ada@example.com", "free")).rejects.toThrow("already registered");

  const second = await resetPassword(base(), "ada@example.com");
  expect(await resetWith(second, "an even longer password")).toMatchObject({ status: 204 });
  expect(await ada.call(getMeRoute)).toMatchObject({ status: 401 });
  await expect(resetPassword(base(), "nobody@example.com")).rejects.toThrow("not found");
});

test("the operator sees every account's plan, size and last use, changes plans, and deletes accounts", async () => {
  const ada = await person({ email: "ada@example.com" });
  await person({ email: "bob@example.com" });
  await ada.ok(createDocumentRoute, { json: { title: "Ten bytes.", content: { text: "walrus" } } });
  await setPlan(base(), "ada@example.com", "team");
  expect(await ada.ok(getSubscriptionRoute)).toMatchObject({ plan_tier: "team" });
  expect(await listAccounts(base())).toMatchObject([
    { email: "ada@example.com", role: "admin", plan_tier: "team", documents: 1, records: 0, bytes: 529 },
    { email: "bob@example.com", role: "member", plan_tier: "free", documents: 0, bytes: 0 },
  ]);
  await deleteAccount(base(), "bob@example.com");
  expect(await rolesOf()).toEqual([["ada@example.com", "admin"]]);
  await expect(deleteAccount(base(), "bob@example.com")).rejects.toThrow("bob@example.com: not found");
});

const PEOPLE = ["ada@example.com", "bob@example.com", "cy@example.com"];
const actingAdmins = async () =>
  (await listAccounts(base())).filter(({ role, closed_at }) => role === "admin" && !closed_at);

test("whatever the operator does at the same time, an admin is left, unless that is not wanted", async () => {
  for (const email of PEOPLE) await person({ email });
  const CHANGES = {
    promote: (email: string) => setRole(base(), email, "admin"),
    demote: (email: string) => setRole(base(), email, "member"),
    close: (email: string) => setClosed(base(), email, true),
    open: (email: string) => setClosed(base(), email, false),
  };
  const change = fc.tuple(fc.constantFrom(...Object.values(CHANGES)), fc.constantFrom(...PEOPLE));
  const property = fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 8 }), async (changes) => {
    const done = await Promise.allSettled(changes.map(([run, email]) => run(email)));
    for (const one of done)
      if (one.status === "rejected") expect(String(one.reason)).toContain("There is no other admin");
    expect(await actingAdmins()).not.toEqual([]);
  });
  await fc.assert(property, { numRuns: 30 });

  for (const email of PEOPLE) await setRole(base(), email, "member", { evenLastAdmin: true });
  expect(await actingAdmins()).toEqual([]);
  await createSetUpCode(base());
});

test("the last admin may delete their own account, and nobody becomes one by chance", async () => {
  const ada = await person({ email: "ada@example.com" });
  await register("bob@example.com");
  await ada.ok(deleteMeRoute, { json: { password: PASSWORD } });
  await register("cy@example.com");
  expect(await rolesOf()).toEqual([
    ["bob@example.com", "member"],
    ["cy@example.com", "member"],
  ]);
  // On this machine, the first account is the admin's, also after others that are being erased.
  for (const email of ["bob@example.com", "cy@example.com"]) await deleteAccount(base(), email);
  await register("eve@example.com");
  expect(await rolesOf()).toEqual([["eve@example.com", "admin"]]);
});
