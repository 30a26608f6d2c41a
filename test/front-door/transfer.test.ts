import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import { strToU8, zipSync } from "fflate";
import { ADA, asUser } from "../e2e/accounts.ts";
import { enter, overflow, violations } from "../e2e/app.ts";
import { askWith } from "../e2e/ask.ts";
import { runScript } from "../e2e/script.ts";
import { register } from "../e2e/service.ts";
import { expect, markdown, type Person, test } from "./fixtures.ts";

// What a person brings, takes away again, and keeps a copy of.

/** Writes files below a folder. */
async function write(root: string, files: Record<string, string>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

type Documents = { total: number; items: { id: string; title: string; version: number }[] };
const documents = ({ ask }: Pick<Person, "ask">) =>
  ask<Documents>("GET", "/api/documents?limit=100&sort=title&order=asc");

/** The names of an account's folders, with the number of documents in each. */
async function foldersOf({ ask }: Pick<Person, "ask">): Promise<Record<string, number>> {
  const { items } = await ask<{ items: { name: string; document_count: number }[] }>("GET", "/api/folders");
  return Object.fromEntries(items.map(({ name, document_count }) => [name, document_count]));
}

/** An export, and what its last lines say of what is in it. */
async function exported(apiUrl: string, token: string) {
  const file = await (await fetch(`${apiUrl}/api/export`, { headers: asUser(token) })).text();
  return { file, manifest: JSON.parse(file.trimEnd().split("\n").at(-2) ?? "") };
}

test("a folder of notes is imported once, exported, and comes back into an empty account byte for byte", async ({
  service: { apiUrl },
  somebody,
  folder,
}) => {
  const ada = await somebody();
  const root = await write(join(folder, "notes"), {
    "packing.md": "---\ntitle: Packing list\ntags: [travel, lists]\nauthor: Ada\n---\n# Things\n\npassport\n",
    "trips/rome.md": "# Rome in spring\n\nColosseum\n",
    "trips/2027/plan.markdown": "No heading, only words.\n",
    ".obsidian/cache.md": "# Not a note\n",
    "picture.png": "not Markdown",
  });
  const account = {
    COMMONPLACE_URL: apiUrl,
    COMMONPLACE_EMAIL: ada.email,
    COMMONPLACE_PASSWORD: ada.password,
  };
  const options = [root, "--folder", "Inbox/Notes", "--tag", "imported"];
  expect(await runScript("import", options, account)).toMatchObject({
    code: 0,
    output: expect.stringContaining(
      "3 created, 0 updated, 0 skipped, 0 refused\nLeft out: 1 hidden, 1 not supported (.png).\n",
    ),
  });
  const { items } = await documents(ada);
  // In a vault of Obsidian, a note is called what its file is called.
  expect(items.map(({ title }) => title)).toEqual(["Packing list", "plan", "rome"]);
  expect(await ada.ask("GET", `/api/documents/${items[0]?.id}`)).toMatchObject({
    tags: ["imported", "travel", "lists"],
    source_type: "import",
    content: { ...markdown("# Things\n\npassport\n"), front_matter: { author: "Ada" } },
  });
  const counts = { Inbox: 0, Notes: 1, trips: 1, "2027": 1 };
  expect(await foldersOf(ada)).toEqual(counts);
  expect((await runScript("import", options, account)).output).toContain("0 created, 0 updated, 3 skipped");
  expect((await documents(ada)).items.map(({ version }) => version)).toEqual([1, 1, 1]);
  expect(await foldersOf(ada)).toEqual(counts);

  // Into an empty account, after the old one and all that it had are gone.
  const before = await exported(apiUrl, ada.token);
  await ada.ask("DELETE", "/api/auth/me", { password: ada.password });
  const token = await register(apiUrl, { email: ada.email, password: ada.password });
  const answer = await fetch(`${apiUrl}/api/import`, {
    ...{ method: "POST", headers: asUser(token), body: before.file },
  });
  expect(answer.status, await answer.text()).toBe(200);
  expect((await exported(apiUrl, token)).manifest).toEqual(before.manifest);
});

const chooseFiles = (page: Page, ...paths: string[]) =>
  page.locator('input[type="file"]:not([webkitdirectory])').setInputFiles(paths);

test("in the app, a zip is unpacked within bounds, and its paths stay inside", async ({
  somebody,
  open,
  folder,
}) => {
  const ada = await somebody();
  const app = await open();
  const { page } = app;
  await enter(app, ada, "/settings/transfer");
  const zip = join(folder, "vault.zip");
  await writeFile(
    zip,
    zipSync({
      "a/one.md": strToU8("# One"),
      "b/zwei ü.md": strToU8("# Zwei"),
      "bomb.md": new Uint8Array(64 * 1024 * 1024),
      "../out.md": strToU8("# Out"),
      "/root.md": strToU8("# Root"),
      "__MACOSX/a/._one.md": strToU8("resource"),
      ".git/HEAD.md": strToU8("hidden"),
      "image.png": strToU8("png"),
    }),
  );
  await chooseFiles(page, zip);
  const summary = page.getByRole("list", { name: "What will happen" });
  await summary.waitFor();
  const text = (await summary.innerText()).replace(/\s+/g, " ");
  expect(text).toContain("2 new documents");
  expect(text).toContain("3 cannot be imported");
  expect(text).toContain("vault/bomb.md: is larger than 1 MiB");
  expect(text.match(/its path points outside the zip/g)).toHaveLength(2);
  expect(text).toContain("left out: 2 hidden, 1 not supported (.png)");
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await overflow(page)).toBe(0);
  await page.getByRole("button", { name: "Import 2 documents" }).click();
  await page.getByRole("heading", { name: /^Import finished/ }).waitFor();
  expect((await documents(ada)).items.map(({ title }) => title)).toEqual(["One", "Zwei"]);
  expect(Object.keys(await foldersOf(ada)).sort()).toEqual(["a", "b", "vault"]);
  await writeFile(zip, (await readFile(zip)).subarray(0, 200));
  await page.getByRole("button", { name: "Done" }).click();
  await chooseFiles(page, zip);
  await page.getByText("Nothing to import.").waitFor();
});

test("a backup of 100 documents is restored elsewhere, and refused when it is damaged", async ({
  start,
  folder,
}) => {
  const [state, backup] = [join(folder, "state"), join(folder, "backup")];
  const run = (script: string, ...args: string[]) => runScript(script, args, { STATE_DIR: state });
  const first = await start(state);
  const token = await register(first.apiUrl, ADA);
  const operations = Array.from({ length: 100 }, (_, n) => ({
    ...{ operation: "create", title: `Document ${n}`, tags: [`t${n % 10}`] },
    content: markdown(`# Walrus ${n}\n\n${"word ".repeat(100)}`),
  }));
  const bulk = { operations };
  expect(await askWith(first.apiUrl, token)("POST", "/api/documents/bulk", bulk)).toMatchObject({
    failed: 0,
  });
  const { manifest } = await exported(first.apiUrl, token);
  expect(await run("backup", "--all", backup)).toMatchObject({ code: 0 });
  await first.stop();

  await rm(join(state, "v3"), { recursive: true });
  expect(await run("restore", backup)).toMatchObject({ code: 0 });
  const { apiUrl } = await start(state);
  const login = await fetch(`${apiUrl}/api/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(ADA),
  });
  const { access_token } = (await login.json()) as { access_token: string };
  expect((await exported(apiUrl, access_token)).manifest).toEqual(manifest);
  const search = await askWith(apiUrl, access_token)("GET", "/api/search?q=walrus");
  expect(search).toMatchObject({ total: 100 });

  const file = join(backup, "documents.ndjson");
  expect(await readFile(file, "utf8")).toContain("Walrus");
  await appendFile(file, "x");
  expect(await run("restore", backup, "--verify")).toMatchObject({
    code: 1,
    output: expect.stringContaining("is damaged"),
  });
});
