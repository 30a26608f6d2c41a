import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startService, temporaryFolder } from "./service.ts";

const run = promisify(execFile);

test("npm run demo fills a fresh account, prints its login, and refuses an account that holds anything", async () => {
  const state = await temporaryFolder();
  const service = await startService(state.path);
  const demo = (...args: string[]) =>
    run("npm", ["run", "--silent", "demo", "--", "--url", service.apiUrl, ...args]);
  const { stdout } = await demo();
  const [, email, password] = /email: +(\S+)\npassword: (\S+)/.exec(stdout) ?? [];
  const login = await fetch(`${service.apiUrl}/api/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  const { access_token } = (await login.json()) as { access_token: string };
  const summary = await fetch(`${service.apiUrl}/api/dashboard/summary`, {
    headers: { Authorization: `Bearer ${access_token}` },
  });
  const counts = (await summary.json()) as Record<string, unknown> & { by_memory_type: unknown[] };
  expect(counts.by_memory_type).toHaveLength(6);
  expect(counts).toMatchObject({
    by_status: { deferred: 3, resolved: 17 },
    due_today: 2,
    overdue: 3,
    stale: 4,
  });

  await expect(demo("--password", password ?? "")).rejects.toThrow("the demo needs an empty one");
  await service.stop();
  await state.remove();
});
