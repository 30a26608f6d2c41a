import { existsSync } from "node:fs";
import { join } from "node:path";
import { ADA, asUser } from "../e2e/accounts.ts";
import { runScript } from "../e2e/script.ts";
import { freePorts, login, register, until } from "../e2e/service.ts";
import { expect, test } from "./fixtures.ts";

// A service that was just cloned.

const create = (url: string, token: string, title: string) =>
  fetch(`${url}/api/documents`, { method: "POST", headers: asUser(token), body: JSON.stringify({ title }) });

async function found(url: string, token: string, words: string): Promise<number> {
  const answer = await fetch(`${url}/api/search?q=${words}`, { headers: asUser(token) });
  return ((await answer.json()) as { total: number }).total;
}

test("npm start: both ports serve the same data, each under its own address, and Ctrl-C closes both", async ({
  start,
  folder,
}) => {
  const service = await start(folder);
  expect(service.output()).toContain(service.apiUrl);
  expect(service.output()).toContain(`${service.mcpUrl}/mcp`);
  const token = await register(service.apiUrl, ADA);
  expect((await create(service.mcpUrl, token, "through the other port")).status).toBe(201);
  expect(await found(service.apiUrl, token, "other")).toBe(1);
  const status = await fetch(`${service.apiUrl}/api/billing/status`, { headers: asUser(token) });
  expect(await status.json()).toMatchObject({ plan_tier: "self_hosted", status: "active" });
  // Without a mail server, a forgotten password is reset with a link in the terminal.
  await fetch(`${service.apiUrl}/api/auth/password-reset`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: ADA.email }),
  });
  await until(
    () => service.output().includes(`${service.apiUrl}/sign-in/new-password#`),
    () => `no mail was printed:\n${service.output()}`,
  );

  expect(await service.stop()).toBe(0);
  for (const url of [service.apiUrl, service.mcpUrl]) await expect(fetch(`${url}/health`)).rejects.toThrow();
  expect(existsSync(join(folder, "running"))).toBe(false);
});

test("120 concurrent writes through both ports are kept and searchable after kill -9", async ({
  start,
  folder,
}) => {
  const ports = await freePorts();
  const service = await start(folder, {}, ports);
  const token = await register(service.apiUrl, ADA);
  const numbers = Array.from({ length: 120 }, (_, index) => String(1000 + index));
  const answers = await Promise.all(
    numbers.map((title, index) => create(index % 2 ? service.apiUrl : service.mcpUrl, token, title)),
  );
  await service.kill();
  expect(answers.map(({ status }) => status)).toEqual(Array(120).fill(201));

  const again = await start(folder, {}, ports);
  const totals: number[] = [];
  // One after the other: of one account, few searches may wait at once.
  for (const title of numbers) totals.push(await found(again.apiUrl, token, title));
  expect(totals).toEqual(Array(120).fill(1));
});

test("a copy that others can reach is set up by its link, and run from the command line, running or stopped", async ({
  start,
  folder,
}) => {
  const service = await start(folder, { API_URL: "https://notes.example" });
  const admin = (...args: string[]) => runScript("admin", args, { STATE_DIR: folder });
  const signUp = async (body: object) => {
    const answer = await fetch(`${service.apiUrl}/api/auth/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return answer.status;
  };
  const codeIn = (output: string) =>
    /https:\/\/notes\.example\/sign-in\/register#([\w-]{43})$/m.exec(output)?.[1];
  const bob = { email: "bob@example.com", password: "a long password" };

  expect(await signUp(ADA)).toBe(403);
  const code = codeIn(service.output());
  expect(await signUp({ ...ADA, code })).toBe(201);
  expect(await signUp({ ...bob, code })).toBe(403);
  const said = async (...args: string[]) => (await admin(...args)).output;
  expect(await admin("setup")).toMatchObject({
    ...{ code: 1, output: expect.stringContaining("There is already an admin") },
  });
  const invited = codeIn(await said("invite", bob.email, "--url", "https://notes.example/app/"));
  expect(await signUp({ ...bob, code: invited })).toBe(201);
  expect(await said("invite", bob.email)).toContain("already has an account");
  expect(await said("close", ADA.email)).toContain("There is no other admin");
  expect(await said("plan", bob.email, "team")).toBe("bob@example.com has the plan team now.\n");
  expect(await said("close", bob.email)).toContain("bob@example.com is closed now");
  await expect(login(service.apiUrl, bob)).rejects.toThrow("403");

  expect(await service.stop()).toBe(0);
  expect(await admin("role", "' OR 1=1 --", "admin")).toMatchObject({
    ...{ code: 1, output: expect.stringContaining("is not an email address") },
  });
  expect(await said("open", bob.email)).toContain("bob@example.com is open now");
  expect(await admin("delete", bob.email)).toMatchObject({
    ...{ code: 1, output: expect.stringContaining("--yes") },
  });
  expect((await admin("delete", bob.email, "--yes")).code).toBe(0);
  expect(await said("role", ADA.email, "member", "--yes")).toContain("a member now.\nThere is no admin now");
  const users = await said("users");
  expect(users).toMatch(/ada@example\.com.*member.*self_hosted/);
  expect(users).not.toContain(bob.email);
});
