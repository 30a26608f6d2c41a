import { afterEach, expect, test } from "vitest";
import { inlineNonText } from "../../scripts/common/d1.ts";
import { runScript } from "./script.ts";
import { type Service, startService, temporaryFolder } from "./service.ts";

// `npm run admin` and the set-up link of a copy that others can reach.

let service: Service | undefined;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

afterEach(async () => {
  await service?.stop();
  await folder?.remove();
});

const admin = (...args: string[]) => runScript("admin", args, { STATE_DIR: folder.path });

const post = (path: string, body: unknown) =>
  fetch(`${service?.apiUrl}/api/auth${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
const codeIn = (output: string) =>
  /https:\/\/notes\.example\/sign-in\/register#([\w-]{43})$/m.exec(output)?.[1];

test("a copy that others can reach is set up by its link, and run from the command line, running or stopped", async () => {
  folder = await temporaryFolder();
  service = await startService(folder.path, { API_URL: "https://notes.example" });
  const ada = { email: "ada@example.com", password: "a long password" };
  expect((await post("/register", ada)).status).toBe(403);
  const code = codeIn(service.output());
  expect(await (await post("/register", { ...ada, code })).json()).toHaveProperty("access_token");
  expect((await post("/register", { ...ada, email: "eve@example.com", code })).status).toBe(403);
  expect(await admin("setup")).toMatchObject({
    code: 1,
    output: expect.stringContaining("There is already an admin"),
  });

  const bob = { email: "bob@example.com", password: "a long password" };
  const invited = codeIn((await admin("invite", bob.email, "--url", "https://notes.example/app/")).output);
  expect((await post("/register", { ...bob, code: invited })).status).toBe(201);
  expect((await admin("invite", bob.email)).output).toContain("already has an account");
  expect((await admin("close", ada.email)).output).toContain("There is no other admin");
  expect((await admin("plan", bob.email, "team")).output).toBe("bob@example.com has the plan team now.\n\n");
  expect((await admin("close", bob.email)).output).toContain("bob@example.com is closed now");
  expect((await post("/login", bob)).status).toBe(403);

  expect(await service.stop()).toBe(0);
  expect(await admin("role", "' OR 1=1 --", "admin")).toMatchObject({
    code: 1,
    output: expect.stringContaining("is not an email address"),
  });
  expect((await admin("open", bob.email)).output).toContain("bob@example.com is open now");
  expect((await admin("role", ada.email, "member", "--yes")).output).toContain(
    "a member now.\nThere is no admin now",
  );
  expect(await admin("delete", bob.email)).toMatchObject({
    code: 1,
    output: expect.stringContaining("--yes"),
  });
  expect((await admin("delete", bob.email, "--yes")).code).toBe(0);
  const { output } = await admin("users");
  expect(output).toMatch(/ada@example\.com.*member.*self_hosted/);
  expect(output).not.toContain(bob.email);
});

test("values are written into a statement in the places of their parameters only", () => {
  expect(inlineNonText("SELECT ?, '? it''s', \"?\", ? WHERE a = ? LIMIT +?", [1, "x?", null, 20])).toEqual({
    sql: "SELECT 1, '? it''s', \"?\", ? WHERE a = NULL LIMIT +20",
    params: ["x?"],
  });
});
