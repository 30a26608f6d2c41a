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

test("npm start: both ports serve the same data, 120 concurrent writes outlive kill -9, and Ctrl-C closes both", async ({
  start,
  folder,
}) => {
  const ports = await freePorts();
  const service = await start(folder, {}, ports);
  expect(service.output()).toContain(service.apiUrl);
  expect(service.output()).toContain(`${service.mcpUrl}/mcp`);
  const token = await register(service.apiUrl, ADA);
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
  expect(await found(again.mcpUrl, token, "1001")).toBe(1);

  expect(await again.stop()).toBe(0);
  for (const url of [again.apiUrl, again.mcpUrl]) await expect(fetch(`${url}/health`)).rejects.toThrow();
  expect(existsSync(join(folder, "running"))).toBe(false);
});

test("a copy that others can reach is set up by its link, and run from the command line, running or stopped", async ({
  start,
  folder,
}) => {
  const service = await start(folder, { API_URL: "https://notes.example" });
  const said = async (...args: string[]) => (await runScript("admin", args, { STATE_DIR: folder })).output;
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
  const invited = codeIn(await said("invite", bob.email, "--url", "https://notes.example/app/"));
  expect(await signUp({ ...bob, code: invited })).toBe(201);
  expect(await said("close", bob.email)).toContain("bob@example.com is closed now");
  await expect(login(service.apiUrl, bob)).rejects.toThrow("403");

  expect(await service.stop()).toBe(0);
  expect(await said("open", bob.email)).toContain("bob@example.com is open now");
  expect(await said("users")).toMatch(/ada@example\.com.*admin.*self_hosted/);
});
