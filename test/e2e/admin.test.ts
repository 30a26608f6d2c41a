import { afterAll, beforeAll, expect, test } from "vitest";
import { ADA } from "./accounts.ts";
import { runScript } from "./script.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

// What `npm run admin` refuses, and what it says. How a copy is set up with it is in test/front-door/start.test.ts.

const BOB = { email: "bob@example.com", password: "a long password" };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;

const admin = (...args: string[]) => runScript("admin", args, { STATE_DIR: folder.path });
const said = async (...args: string[]) => (await admin(...args)).output;

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startService(folder.path, { REGISTRATION: "open" });
  await register(service.apiUrl, ADA);
  await register(service.apiUrl, BOB);
});

afterAll(async () => {
  await service.stop();
  await folder.remove();
});

test("a service keeps an admin, unless that is confirmed, and an account is deleted only on purpose", async () => {
  expect(await admin("setup")).toMatchObject({
    ...{ code: 1, output: expect.stringContaining("There is already an admin") },
  });
  expect(await said("invite", BOB.email)).toContain("already has an account");
  expect(await said("close", ADA.email)).toContain("There is no other admin");
  expect(await said("plan", BOB.email, "team")).toBe("bob@example.com has the plan team now.\n");

  expect(await service.stop()).toBe(0);
  expect(await admin("role", "' OR 1=1 --", "admin")).toMatchObject({
    ...{ code: 1, output: expect.stringContaining("is not an email address") },
  });
  expect(await admin("delete", BOB.email)).toMatchObject({
    ...{ code: 1, output: expect.stringContaining("--yes") },
  });
  expect((await admin("delete", BOB.email, "--yes")).code).toBe(0);
  expect(await said("role", ADA.email, "member", "--yes")).toContain("a member now.\nThere is no admin now");
  const users = await said("users");
  expect(users).toMatch(/ada@example\.com.*member.*self_hosted/);
  expect(users).not.toContain(BOB.email);
});
