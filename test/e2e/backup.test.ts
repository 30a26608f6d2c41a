import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { localBucket } from "../../scripts/common/bucket.ts";
import { ADA } from "./accounts.ts";
import { askWith } from "./ask.ts";
import { launch } from "./browser.ts";
import { folder, start } from "./instances.ts";
import { callbackServer } from "./loopback.ts";
import { OAuthPerson } from "./oauth-person.ts";
import { connect, connectAgain, use } from "./official-clients.ts";
import { runScript } from "./script.ts";
import { freePorts, register } from "./service.ts";

// What a backup has besides documents and records, which are in test/front-door/transfer.test.ts.

const run = (stateDir: string, script: string, ...args: string[]) =>
  runScript(script, args, { STATE_DIR: stateDir });
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Uploads a file of this size. */
async function upload(url: string, token: string, bytes: number): Promise<{ id: string; sha256: string }> {
  const body = randomBytes(bytes);
  const answer = await fetch(`${url}/api/files`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Disposition": 'attachment; filename="a.bin"' },
    body,
  });
  const file = (await answer.json()) as { id: string; sha256: string };
  expect([answer.status, file.sha256]).toEqual([201, sha256Of(body)]);
  return file;
}

/** Puts an object without a row into the bucket of a stopped copy; `admin files` finds and removes it. */
async function expectStrayRepaired(stateDir: string): Promise<void> {
  const file = join(stateDir, "stray");
  writeFileSync(file, "stray");
  const bucket = await localBucket(stateDir);
  await bucket?.write("nobody/stray", file);
  await bucket?.close();
  expect(await run(stateDir, "admin", "files")).toMatchObject({
    code: 1,
    output: expect.stringContaining("nobody/stray"),
  });
  expect(await run(stateDir, "admin", "files", "--repair")).toMatchObject({ code: 0 });
  expect((await run(stateDir, "admin", "files")).output).toContain("bucket and the database agree");
}

/** Ada, and the official client that she has allowed. */
async function connectedAssistant(mcpUrl: string) {
  const [browser, callback] = await Promise.all([launch(), callbackServer()]);
  onTestFinished(() => Promise.all([browser.close(), callback.close()]).then(() => undefined));
  const person = new OAuthPerson(`${callback.url}/callback`, browser, ADA);
  await (await connect("SDK v2 negotiating", mcpUrl, person)).close();
  const whoami = async () => {
    const client = await connectAgain("SDK v2 negotiating", mcpUrl, person);
    return use(client, "whoami").finally(() => client.close());
  };
  return { person, whoami };
}

test("after a restore, files are the same byte for byte and a connected assistant is still connected", {
  timeout: 600_000,
}, async () => {
  const [old, next, backup] = [await folder(), await folder(), join(await folder(), "backup")];
  const ports = await freePorts();
  const first = await start(old, {}, ports);
  const token = await register(first.apiUrl, ADA);
  const files = [await upload(first.apiUrl, token, 1000), await upload(first.apiUrl, token, 9_000_000)];
  const { person, whoami } = await connectedAssistant(first.mcpUrl);
  expect(await whoami()).toMatchObject({ email: ADA.email });

  expect(await run(old, "backup", "--all", backup)).toMatchObject({ code: 0 });
  expect((await run(old, "backup", "--all", backup)).output).toContain("is not empty");
  const verified = await run(old, "restore", backup, "--verify");
  expect(verified).toMatchObject({ code: 0, output: expect.stringContaining("The backup is complete") });
  expect(verified.output).toContain("files: 2");
  expect((await run(old, "restore", backup)).output).toContain("stop the service first");
  expect(statSync(backup).mode & 0o777).toBe(0o700);
  for (const entry of readdirSync(backup, { withFileTypes: true }).filter((one) => one.isFile()))
    expect(statSync(join(backup, entry.name)).mode & 0o777, entry.name).toBe(0o600);
  const connections = readFileSync(join(backup, "oauth_kv.ndjson"), "utf8");
  const { access_token, refresh_token } = person.given as Record<string, string>;
  for (const secret of [access_token, refresh_token]) expect(connections).not.toContain(secret);
  await first.stop();
  expect((await run(old, "restore", backup)).output).toContain("already has accounts");
  await expectStrayRepaired(old);

  expect(await run(next, "restore", backup)).toMatchObject({ code: 0 });
  const { apiUrl } = await start(next, {}, ports);
  for (const { id, sha256 } of files) {
    const answer = await fetch(`${apiUrl}/api/files/${id}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(sha256Of(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256);
  }
  const saved = person.saved;
  expect(await whoami()).toMatchObject({ email: ADA.email });
  expect(person.saved).toBe(saved);
  person.given = { ...person.given, access_token: "over" };
  expect(await whoami()).toMatchObject({ email: ADA.email });
  expect([person.saved, person.asked]).toEqual([saved + 1, 1]);
  expect(await askWith(apiUrl, token)("GET", "/api/connections")).toMatchObject({
    ...{ total: 1, items: [{ client_name: "Official client" }] },
  });

  // Backups of earlier releases have no such part.
  const file = join(backup, "manifest.json");
  const { oauth_kv: _, ...manifest } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify(manifest));
  rmSync(join(backup, "oauth_kv.ndjson"));
  const early = await run(await folder(), "restore", backup);
  expect(early.output).toContain("MCP clients have to sign in again");
  expect(early.code).toBe(0);
});
