import { describe, expect, test } from "vitest";
import * as auth from "../../../src/features/auth/routes.ts";
import { AppPage, personInApp } from "../../kit/app-page.ts";
import { PASSWORD, signIn, visitor } from "../../kit/client.ts";

// What ends a browser's session, and whose.

const EMAIL = "ada@example.com";
const SECURE =
  /^__Host-commonplace=cps_1\.\d+\.[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/;
const CLEARED = /^__Host-commonplace=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax$/;

const statusOf = async (page: AppPage) => (await page.call(auth.getMeRoute)).status;

describe("signing out", () => {
  test("ends the cookie's session and deletes the cookie", async () => {
    const page = await personInApp();
    const stolen = page.copy();
    expect((await page.call(auth.logoutRoute, { json: {} })).status).toBe(204);
    expect(page.setCookie).toMatch(CLEARED);
    expect(await statusOf(stolen)).toBe(401);
    // Signed out already: nothing is wrong with that.
    expect((await page.call(auth.logoutRoute)).status).toBe(204);
    expect((await stolen.call(auth.logoutRoute)).status).toBe(204);
  });

  test("without anything to end says what to send, and another site cannot do it", async () => {
    const { status, detail } = await visitor().refusal(auth.logoutRoute, { json: {} });
    expect([status, detail]).toEqual([422, "refresh_token: is required without the session cookie"]);
    const page = await personInApp();
    const refused = await page.call(auth.logoutRoute, { headers: { "Sec-Fetch-Site": "cross-site" } });
    expect(refused.status).toBe(403);
    expect(await statusOf(page)).toBe(200);
  });

  test("of a refresh token leaves the browser's session alone", async () => {
    const page = await personInApp();
    const refresh_token = (await signIn(EMAIL)).tokens?.refresh_token;
    expect((await page.call(auth.logoutRoute, { json: { refresh_token } })).status).toBe(204);
    expect(await statusOf(page)).toBe(200);
  });

  test("everywhere ends every browser's session, and nobody else's", async () => {
    const [page, bob] = [await personInApp(), await personInApp("bob@example.com")];
    const other = new AppPage();
    await other.ok(auth.loginRoute, { json: { email: EMAIL, password: PASSWORD, session: "cookie" } });
    await page.call(auth.logoutAllRoute);
    expect(page.setCookie).toMatch(CLEARED);
    expect([await statusOf(other), await statusOf(bob)]).toEqual([401, 200]);
  });

  test("of one session in the list, which shows browsers and programs", async () => {
    const page = await personInApp();
    const ada = await signIn(EMAIL);
    const { items } = await page.ok(auth.listSessionsRoute);
    expect(items.map(({ current }) => current).sort()).toEqual([false, true]);
    const program = items.find(({ current }) => !current);
    await page.call(auth.revokeSessionRoute, { params: { session_id: program?.id ?? "" } });
    expect(page.setCookie).toBeUndefined();
    expect((await ada.call(auth.getMeRoute)).status).toBe(401);
    const mine = items.find(({ current }) => current);
    const stolen = page.copy();
    await page.call(auth.revokeSessionRoute, { params: { session_id: mine?.id ?? "" } });
    expect(page.setCookie).toMatch(CLEARED);
    expect(await statusOf(stolen)).toBe(401);
  });

  test("by a new password keeps this browser signed in, with a new cookie, and no other", async () => {
    const page = await personInApp();
    const stolen = page.copy();
    const ada = await signIn(EMAIL);
    const json = { current_password: PASSWORD, new_password: "a longer horse battery staple" };
    await page.call(auth.changePasswordRoute, { json });
    expect(page.setCookie).toMatch(SECURE);
    expect(page.cookie).not.toBe(stolen.cookie);
    expect([await statusOf(page), await statusOf(stolen)]).toEqual([200, 401]);
    expect((await ada.call(auth.getMeRoute)).status).toBe(401);
    expect((await page.ok(auth.listSessionsRoute)).total).toBe(1);
  });

  test("by the end of the account", async () => {
    const page = await personInApp();
    const stolen = page.copy();
    await page.call(auth.deleteMeRoute, { json: { password: PASSWORD } });
    expect(page.setCookie).toMatch(CLEARED);
    expect(await statusOf(stolen)).toBe(401);
  });
});
