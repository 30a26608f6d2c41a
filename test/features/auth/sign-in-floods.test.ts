import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createInvitation } from "../../../src/features/auth/registration-store.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import { listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import { openBaseCtx } from "../../../src/platform/db/session.ts";
import { AppPage } from "../../kit/app-page.ts";
import { Browser } from "../../kit/browser.ts";
import { Client, PASSWORD, person, visitor } from "../../kit/client.ts";

// A password takes long to check, and all requests share a thread: what happens when many are to be checked at once.

const EMAIL = "ada@example.com";
const WRONG = "wrong password";

/** Sign-ins of people who do not exist, each from an address of its own, all at once. */
const flood = (count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => {
      const json = { email: `nobody${index}@example.com`, password: WRONG };
      return visitor().call(auth.loginRoute, { json });
    }),
  );

/** How many are checked: twenty who wait, whose turn it is, and a few who come when the first have been answered. */
const CHECKED = expect.toSatisfy((count: number) => count >= 20 && count < 29);

const counted = (answers: { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe("many sign-ins at once", () => {
  test("one is checked, twenty wait, and the others are told when to try again", async () => {
    const answers = await flood(60);
    expect(counted(answers, 401)).toEqual(CHECKED);
    expect(counted(answers, 401) + counted(answers, 503)).toBe(60);
    const refused = answers.find(({ status }) => status === 503);
    expect(refused?.headers.get("Retry-After")).toBe("5");
    expect(refused?.text).toContain("Too many passwords are being checked right now");
    // And nobody waits for ever.
    expect(counted(await flood(3), 401)).toBe(3);
  });

  test("registrations are as many", async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        visitor().call(auth.registerRoute, {
          json: { email: `new${index}@example.com`, password: PASSWORD },
        }),
      ),
    );
    expect(counted(answers, 201)).toEqual(CHECKED);
    expect(counted(answers, 201) + counted(answers, 503)).toBe(30);
  });

  test("keep out nobody who is known: by an address, or by a session", async () => {
    const ada = await person({ email: EMAIL });
    const strangers = flood(60);
    const home = new Client(undefined, ada.address);
    const json = { email: EMAIL, password: PASSWORD };
    const signedIn = Promise.all([1, 2, 3].map(() => home.call(auth.loginRoute, { json })));
    const change = { current_password: PASSWORD, new_password: "another good one" };
    expect((await signedIn).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await ada.call(auth.changePasswordRoute, { json: change })).status).toBe(204);
    expect(counted(await strangers, 401)).toEqual(CHECKED);
  });

  test("of people who are signed in keep out nobody else, and wait for each other", async () => {
    const ada = await person({ email: EMAIL });
    const change = { current_password: WRONG, new_password: "another good one" };
    const others = await Promise.all([1, 2, 3].map(() => person()));
    const floods = others.map((client) =>
      Promise.all(Array.from({ length: 9 }, () => client.call(auth.changePasswordRoute, { json: change }))),
    );
    const home = new Client(undefined, ada.address);
    const signedIn = await home.call(auth.loginRoute, { json: { email: EMAIL, password: PASSWORD } });
    expect(signedIn.status).toBe(200);
    for (const answers of await Promise.all(floods)) {
      // An account's requests queue before its passwords do, so none is refused.
      expect(counted(answers, 403)).toBe(9);
    }
    // One attempt is left.
    const [eve] = others;
    const again = { current_password: PASSWORD, new_password: "another good one" };
    expect((await eve?.call(auth.changePasswordRoute, { json: again }))?.status).toBe(204);
  });

  test("of the same invitation wait for each other", async () => {
    const code = await createInvitation(openBaseCtx(env.DB));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        visitor().call(auth.registerRoute, {
          json: { email: `new${index}@example.com`, password: PASSWORD, code },
        }),
      ),
    );
    expect(counted(answers, 201)).toBe(1);
    expect(counted(answers, 429)).toBeGreaterThanOrEqual(5);
  });

  test("a sign-in that was not tried is no failed one", async () => {
    await person({ email: EMAIL });
    const json = { email: EMAIL, password: PASSWORD };
    const strangers = flood(40);
    const away = visitor();
    await Promise.all(Array.from({ length: 30 }, () => visitor().call(auth.loginRoute, { json })));
    await strangers;
    expect((await away.call(auth.loginRoute, { json })).status).toBe(200);
  });

  test("the page says so, and keeps the address", async () => {
    await person({ email: EMAIL });
    const browser = new Browser();
    const form = await browser.open("/sign-in");
    const strangers = flood(40);
    const page = await browser.submit(form, { email: EMAIL, password: PASSWORD });
    await strangers;
    expect(page.status).toBe(503);
    expect(page.headers.get("Retry-After")).toBe("5");
    expect(page.html).toContain("Too many passwords are being checked right now: try again in 5 seconds");
    expect(page.html).toContain(`value="${EMAIL}"`);
  });
});

describe("where client addresses are not trusted, strangers together", () => {
  const nowhere = () => new AppPage({ env: { TRUST_CLIENT_IP: "false", RATE_LIMIT_STRANGERS: "3/60" } });
  const signIn = (email: string, password: string) =>
    nowhere().call(auth.loginRoute, { json: { email, password } });

  test("learn nothing once they have tried too often, and keep nobody out", async () => {
    const ada = await person({ email: EMAIL });
    for (let index = 0; index < 5; index++) await signIn(`nobody${index}@example.com`, WRONG);
    const known = await signIn(EMAIL, WRONG);
    const unknown = await signIn("somebody@example.com", WRONG);
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    expect(unknown.status).toBe(401);
    expect((await signIn(EMAIL, PASSWORD)).status).toBe(200);
    expect((await ada.call(listDocumentsRoute)).status).toBe(200);
  });
});
