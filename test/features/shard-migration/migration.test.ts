import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { createApiKeyRoute } from "../../../src/features/api-keys/routes.ts";
import { confirmPasswordResetRoute, resetPasswordRoute } from "../../../src/features/auth/email/routes.ts";
import { passkeyLoginOptionsRoute, passkeyLoginRoute } from "../../../src/features/auth/passkeys/routes.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import { listChangesRoute } from "../../../src/features/changes/routes.ts";
import { listConnectionsRoute } from "../../../src/features/connections/routes.ts";
import { createCalendarTokenRoute, getCalendarRoute } from "../../../src/features/dashboard/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { MIGRATED_TABLES, tableName } from "../../../src/features/shard-migration/rows-store.ts";
import { type Client, PASSWORD, signIn, urlOf, visitor } from "../../kit/client.ts";
import { type Offered, OPERATIONS } from "../../kit/description.ts";
import { exampleOf, isPublic } from "../../kit/examples.ts";
import { cron, hookOf, sendNow } from "../../kit/hooks.ts";
import { codeFor, RESET } from "../../kit/mailbox.ts";
import { ask, initialize, stateless, use } from "../../kit/mcp.ts";
import { belongings, passkeyOf } from "../../kit/named.ts";
import { bearer, connect, refresh } from "../../kit/oauth.ts";
import {
  ADA,
  beginMove,
  creating,
  cronAfterMoves,
  exportOf,
  full,
  move,
  numberIn,
  openShards,
  rowOf,
  rowsIn,
} from "../../kit/shard-migration.ts";
import { countingIn, databaseOf, personIn } from "../../kit/shards.ts";
import { MANY_RUNS_MS } from "../../kit/time-limits.ts";

// An account is moved to another shard while people use it. Nothing of it is lost or there twice, however often the command
// is killed; and what its owner has, from a token to an address for calendars, goes on working.

beforeEach(openShards);

/** What the app sends with its cookie. */
const PAGE = { "X-Requested-With": "commonplace", "Sec-Fetch-Site": "same-origin" };

/** Creates documents until one is refused; adds the ids of the others. */
async function writeUntilRefused(client: Client, written: string[]): Promise<void> {
  for (let n = 0; n < 20; n++) {
    const answer = await creating(client);
    const { id } = (await answer.json()) as { id: string };
    if (answer.status !== 201) return expect(answer.status).toBe(503);
    written.push(id);
  }
}

/** Challenges depend on the account's number, and files are read again: neither is compared. */
const comparedIn = async (home: number) => {
  const { passkey_challenges: _, file_words: __, ...rows } = await rowsIn(home);
  return rows;
};

describe("an account with a row in every table", () => {
  test("goes along with everything, also when it comes back, and its old rows are erased after a day", async () => {
    const ada = await full(1);
    const old = await numberIn(1);
    const exported = await exportOf(ada);
    const rows = await comparedIn(1);
    const isEmpty = (name: string) => rows[name]?.length === 0;
    expect(MIGRATED_TABLES.map(tableName).filter(isEmpty)).toEqual(["refresh_tokens"]);
    const found = await ada.ok(searchRoute, { query: { q: "trip" } });
    let from = 1;
    for (const to of [2, 3, 1]) {
      const before = await comparedIn(from);
      await move(ADA, to);
      expect([await numberIn(from), await move(ADA, to)]).toEqual([null, expect.any(Number)]);
      expect(await comparedIn(to), `in ${to}`).toEqual(before);
      expect(await exportOf(ada)).toBe(exported);
      expect(await ada.ok(searchRoute, { query: { q: "trip" } })).toEqual(found);
      const { results } = await env.DB.prepare("SELECT email, home, state FROM address_book").all();
      expect(results).toEqual(to === 1 ? [] : [{ email: ADA, home: to, state: "settled" }]);
      from = to;
    }
    // Coming back has erased what was there before.
    expect(Object.values(await rowsIn(1, old)).flat().length).toBeLessThan(10);
    const moves = databaseOf(3).prepare("SELECT owner FROM moves WHERE state = 'left'");
    const number = await moves.first<number>("owner");
    const past = "2026-01-01T00:00:00.000Z";
    for (const change of [
      `moves SET at = '${past}'`,
      "moves SET is_fenced = 0",
      `users SET deleted_at = '${past}'`,
    ])
      await databaseOf(3).prepare(`UPDATE ${change}`).run();
    await cron();
    const left = Object.entries(await rowsIn(3, number)).filter(([, rows]) => rows.length > 0);
    expect(left.map(([table]) => table).sort()).toEqual(["moved_secrets", "moves"]);
    expect(await exportOf(ada)).toBe(exported);
  });
});

test("what an account has from before a move goes on working: tokens, keys, cookies, links, connections", async () => {
  const ada = await personIn(1, ADA);
  await rowOf(ada, 1);
  const script = { name: "Script", scopes: ["docs:read", "docs:write"] };
  const { key } = await ada.ok(createApiKeyRoute, { json: script });
  const { token: calendar } = await ada.ok(createCalendarTokenRoute);
  const cookies = await visitor().fetch("/api/auth/login", {
    method: "POST",
    headers: { ...PAGE, "Content-Type": "application/json" },
    body: JSON.stringify({ email: ADA, password: PASSWORD, session: "cookie" }),
  });
  const Cookie = cookies.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  const { mcp, client_id, tokens: granted } = await connect(ADA);
  const session = await initialize(mcp);
  const passkey = await passkeyOf(ada);
  await visitor().ok(resetPasswordRoute, { json: { email: ADA } });
  const code = await codeFor(ADA, RESET);
  const { hook, receiver } = await hookOf(ada);
  const me = await ada.ok(auth.getMeRoute);

  for (const to of [2, 3]) {
    await move(ADA, to);
    const counted = countingIn(ada);
    expect(await counted.client.ok(auth.getMeRoute)).toEqual(me);
    counted.calls();
    // Once it is known where the account is, a request asks its shard alone.
    await counted.client.ok(documents.listDocumentsRoute);
    expect(counted.calls().map((calls) => calls > 0)).toEqual([1, 2, 3].map((home) => home === to));
    expect((await bearer(key).ok(documents.listDocumentsRoute)).total).toBe(to - 1);
    await rowOf(bearer(key), to);
    const answer = await visitor().fetch("/api/auth/me", { headers: { Cookie, ...PAGE } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Set-Cookie")).toContain(`cps_${to}.${await numberIn(to)}.`);
    expect((await visitor().fetch("/authorize", { headers: { Cookie } })).status).not.toBe(500);
    expect((await visitor().call(getCalendarRoute, { query: { token: calendar } })).status).toBe(200);
    for (const asker of [stateless(mcp), await initialize(mcp)])
      expect(await use(asker, "whoami")).toMatchObject({ email: ADA });
    expect((await ada.ok(listConnectionsRoute)).total).toBe(1);
    const assertion = await passkey.sign((await visitor().ok(passkeyLoginOptionsRoute)).challenge);
    const byPasskey = await visitor().ok(passkeyLoginRoute, { json: { assertion } });
    for (const tokens of [byPasskey, (await signIn(ADA)).tokens])
      expect(tokens).toMatchObject({ refresh_token: expect.stringMatching(new RegExp(`^${to}\\.`)) });
  }
  // A session of MCP belongs to a shard: its client begins another one.
  expect((await ask(mcp, "tools/list", {}, session.headers)).status).toBe(404);
  await sendNow(ada);
  await sendNow(await signIn(ADA));
  // What is being sent at the moment of a move arrives once more, under the same id.
  expect(new Set(await receiver.types(hook.secret))).toEqual(new Set(["document.created"]));
  const ids = (await receiver.received()).map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(2);
  // New credentials name the new shard.
  const refreshing = { json: { refresh_token: ada.tokens?.refresh_token } };
  const refreshed = await visitor().ok(auth.refreshRoute, refreshing);
  expect(refreshed.refresh_token).toMatch(/^3\./);
  expect(await bearer(refreshed.access_token).ok(auth.getMeRoute)).toEqual(me);
  const again = await refresh(client_id, granted.refresh_token);
  const { client, calls } = countingIn(bearer(again.access_token));
  await use(stateless(client), "whoami");
  expect(calls().slice(0, 2)).toEqual([0, 0]);
  const json = { reset_token: code, new_password: "another good password" };
  await visitor().ok(confirmPasswordResetRoute, { json });
  const ended = { json: { refresh_token: refreshed.refresh_token } };
  expect((await visitor().call(auth.refreshRoute, ended)).status).toBe(401);
});

describe("a move that was killed", () => {
  /** The gate kills it a few times, the nightly run everywhere. */
  const KILLS = env.FUZZ_RUNS ? 1 : 17;

  /** An account is moved so often: it grows with each time, and its token is good for a quarter of an hour. */
  const ROUNDS = 9;

  type Account = { email: string; ada: Client; written: string[] };

  /** A new account with a document. */
  async function accountIn(home: number, round: number): Promise<Account> {
    const email = `ada${round}@example.com`;
    const ada = await personIn(home, email);
    return { email, ada, written: [(await rowOf(ada, 0)).id] };
  }

  /** The account is in this shard alone, with exactly these documents. */
  async function expectIn(home: number, { email, ada, written }: Account, note: string): Promise<void> {
    for (const one of [1, 2, 3]) expect((await numberIn(one, email)) === null, note).toBe(one !== home);
    const { results } = await databaseOf(home)
      .prepare("SELECT id FROM documents WHERE owner = ?")
      .bind(await numberIn(home, email))
      .all<{ id: string }>();
    expect(results.map(({ id }) => id).sort(), note).toEqual([...written].sort());
    expect((await ada.ok(searchRoute, { query: { q: "harvest", limit: 1 } })).total, note).toBe(
      written.length,
    );
  }

  test(
    "is repeated and goes on, at whichever call it was, while its owner writes",
    async () => {
      let account = await accountIn(1, 0);
      let home = 1;
      let at = 1;
      for (let round = 1; at > 0; round++) {
        if (round % ROUNDS === 0) account = await accountIn(home, round);
        const { email, ada, written } = account;
        const to = (home % 3) + 1;
        const kill = { at, isAnswered: round % 2 === 0 };
        const writing = Promise.all([1, 2, 3].map(() => writeUntilRefused(ada, written)));
        const killed = await move(email, to, kill).then(
          () => false,
          () => true,
        );
        await writing;
        expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(written.length);
        await Promise.all([move(email, to), ...(round % 3 === 0 ? [move(email, to)] : [])]);
        written.push((await rowOf(ada, round)).id);
        await expectIn(to, account, `killed at ${at}`);
        home = to;
        at = killed ? at + KILLS : 0;
      }
    },
    MANY_RUNS_MS,
  );

  test("and is not repeated is undone by the cron handler after an hour", async () => {
    const ada = await personIn(2, ADA);
    await rowOf(ada, 1);
    const before = await exportOf(ada);
    await beginMove(40);
    expect((await creating(ada)).status).toBe(503);
    await cron();
    expect((await creating(ada)).status).toBe(503);
    await cronAfterMoves([2, 3]);
    expect(await exportOf(ada)).toBe(before);
    await rowOf(ada, 2);
    await cron();
    const copies = await databaseOf(3).prepare("SELECT count(*) AS n FROM documents").first<number>("n");
    expect(copies).toBe(0);
    await move(ADA, 3);
    expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(2);
  });
});

test("while an account is moved, everything can be read and nothing changed, over the API and MCP", async () => {
  const ada = await personIn(2, ADA);
  const own = belongings(ada);
  const isHers = ({ operation }: Offered) =>
    !operation.tags?.includes("Sign-in") && operation.operationId !== "reindex";
  const offered = OPERATIONS.filter((one) => !isPublic(one) && isHers(one));
  const parts = [];
  for (const one of offered) parts.push([one, await exampleOf(one, own, true)] as const);
  await beginMove();
  const before = await comparedIn(2);
  for (const [{ route, operation, method }, request] of parts) {
    const json = request.json === undefined ? undefined : JSON.stringify(request.json);
    const answer = await ada.fetch(urlOf(route, request), {
      method,
      headers: { "Content-Type": "application/json", ...request.headers },
      body: request.body ?? json,
    });
    const status = answer.status;
    await answer.text();
    // An export is noted among the events of the account's security.
    if (method === "GET" && !operation.operationId.startsWith("export"))
      expect(status, operation.operationId).toBeLessThan(400);
    if (status === 503) expect(answer.headers.get("Retry-After"), operation.operationId).toBe("60");
    expect(status === 503 || status < 500, `${operation.operationId}: ${status}`).toBe(true);
  }
  const call = { name: "create_document", arguments: { title: "New", text: "Text" } };
  const refused = await ask(ada, "tools/call", call);
  expect(JSON.stringify(refused.result)).toContain("is being moved to another database");
  expect(await comparedIn(2)).toEqual(before);
  await move(ADA, 3);
  await rowOf(ada, 1);
});

test("the admin's account stays, an unknown address is said, and so is a shard that has ids of the account", async () => {
  await expect(move("admin@example.com", 2)).rejects.toThrow(
    "An admin's account must stay in the first database",
  );
  await expect(move("nobody@example.com", 2)).rejects.toThrow("not found");
  const [ada, bob] = [await personIn(1, ADA), await personIn(2, "bob@example.com")];
  await rowOf(ada, 1);
  const file = await (await ada.fetch("/api/export")).text();
  const headers = { "Content-Type": "application/x-ndjson" };
  expect((await bob.fetch("/api/import", { method: "POST", body: file, headers })).status).toBeLessThan(300);
  await expect(move(ADA, 2)).rejects.toThrow("documents with the same ids");
  await rowOf(ada, 2);
  await move(ADA, 3);
  expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(2);
});

test("a cursor of changes from before a move is a 410: the copy begins anew", async () => {
  const ada = await personIn(1, ADA);
  const { cursor } = await ada.ok(listChangesRoute);
  await move(ADA, 2);
  expect((await ada.call(listChangesRoute, { query: { cursor } })).status).toBe(410);
});
