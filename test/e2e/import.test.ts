import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connect } from "../../scripts/common/client.ts";
import type { Imported } from "../../src/contract/import/imported.ts";
import { trashOperation, writeGroup } from "../../src/contract/import/write.ts";
import type { Document, DocumentList } from "../../src/contract/document.ts";
import type { FolderList } from "../../src/contract/folder.ts";
import { documentsOf, type SearchAnswer } from "../../src/contract/search.ts";
import { listen } from "./loopback.ts";
import { freePorts, register, type Service, startService, temporaryFolder, until } from "./service.ts";

const PASSWORD = "a long password";

let state: Awaited<ReturnType<typeof temporaryFolder>>;
let files: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let account: { url: string; email: string; password: string };
let token: string;
let people = 0;

// Each test signs in several times, always from the same address.
const SETTINGS = { RATE_LIMIT_LOGIN: "1000/60", RATE_LIMIT_REGISTER: "1000/60" };

beforeAll(async () => {
  state = await temporaryFolder();
  service = await startService(state.path, SETTINGS);
});

afterAll(async () => {
  await service?.stop();
  await state?.remove();
});

beforeEach(async () => {
  files = await temporaryFolder();
  const email = `importer${++people}@example.com`;
  account = { url: service.apiUrl, email, password: PASSWORD };
  token = await register(service.apiUrl, { email, password: PASSWORD });
});

afterEach(() => files.remove());

/** The options that identify this test's account. */
const environment = (): Record<string, string | undefined> => ({
  ...process.env,
  COMMONPLACE_URL: account.url,
  COMMONPLACE_EMAIL: account.email,
  COMMONPLACE_PASSWORD: account.password,
});

/** Starts `npm run import` as this test's account. */
const startImport = (...args: string[]) => startWith(environment(), ...args);

function startWith(env: Record<string, string | undefined>, ...args: string[]) {
  const child = spawn("npm", ["run", "--silent", "import", "--", ...args], {
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]).then((streams) => streams.join(""));
  const exited = once(child, "exit").then(([code]) => code as number | null);
  return { child, done: async () => ({ code: await exited, output: await printed }) };
}

/** Kills a command with everything that it started; it may have ended already. */
function killImport({ child }: ReturnType<typeof startImport>): void {
  try {
    process.kill(-(child.pid ?? 0), "SIGKILL");
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== "ESRCH") throw problem;
  }
}

const runImport = (...args: string[]) => startImport(...args).done();

async function get<Body>(path: string): Promise<Body> {
  const response = await fetch(account.url + path, { headers: { Authorization: `Bearer ${token}` } });
  expect(response.status, path).toBe(200);
  return (await response.json()) as Body;
}

async function send<Body>(method: string, path: string, body: unknown): Promise<Body> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const response = await fetch(account.url + path, { method, headers, body: JSON.stringify(body) });
  expect(response.ok, path).toBe(true);
  return (await response.json()) as Body;
}

async function remove(path: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  expect((await fetch(account.url + path, { method: "DELETE", headers })).status).toBe(204);
}

async function listDocuments(): Promise<DocumentList["items"]> {
  const items: DocumentList["items"] = [];
  for (;;) {
    const page = await get<DocumentList>(`/api/documents?sort=title&limit=100&offset=${items.length}`);
    items.push(...page.items);
    if (items.length >= page.total) return items;
  }
}

const titles = async () => (await listDocuments()).map(({ title }) => title);

async function readDocument(title: string): Promise<Document> {
  const found = (await listDocuments()).find((item) => item.title === title);
  if (!found) throw new Error(`No document is called ${title}`);
  return get<Document>(`/api/documents/${found.id}`);
}

/** Folder paths of the account, with the number of documents in each. */
async function listFolders(): Promise<Record<string, number>> {
  const { items } = await get<FolderList>("/api/folders?limit=1000");
  const pathOf = (id: string | null): string => {
    const folder = items.find((item) => item.id === id);
    return folder ? `${pathOf(folder.parent_id)}/${folder.name}` : "";
  };
  return Object.fromEntries(items.map(({ id, document_count }) => [pathOf(id), document_count]));
}

async function writeFiles(contents: Record<string, string | Buffer>): Promise<string> {
  for (const [path, content] of Object.entries(contents)) {
    const file = join(files.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return files.path;
}

const lines = (...items: unknown[]) => items.map((item) => `${JSON.stringify(item)}\n`).join("");

describe("a folder of Markdown", () => {
  const NOTES = {
    "notes/packing.md":
      "---\ntitle: Packing list\ntags: [travel, lists]\nauthor: Ada\n---\n# Things\n\npassport\n",
    "notes/trips/rome.md": "# Rome in spring\n\nColosseum\n",
    "notes/trips/2027/plan.markdown": "No heading, only words.\n",
    "notes/.obsidian/cache.md": "# Not a note\n",
    "notes/picture.png": "not Markdown",
  };

  test("is imported with titles, tags and folders, and nothing is imported twice", async () => {
    const root = join(await writeFiles(NOTES), "notes");
    const first = await runImport(root, "--folder", "Inbox/Notes", "--tag", "imported");
    expect(first).toEqual({
      code: 0,
      output: "3 created, 0 updated, 0 skipped, 0 refused\nLeft out: 1 hidden, 1 not a text (.png).\n",
    });

    expect(await titles()).toEqual(["Packing list", "plan", "Rome in spring"]);
    expect(await readDocument("Packing list")).toMatchObject({
      tags: ["imported", "travel", "lists"],
      source_type: "import",
      content: { format: "markdown", text: "# Things\n\npassport\n", front_matter: { author: "Ada" } },
    });
    const folders = {
      "/Inbox": 0,
      "/Inbox/Notes": 1,
      "/Inbox/Notes/trips": 1,
      "/Inbox/Notes/trips/2027": 1,
    };
    expect(await listFolders()).toEqual(folders);

    const second = await runImport(root, "--folder", "Inbox/Notes", "--tag", "imported");
    expect(second.output).toContain("0 created, 0 updated, 3 skipped, 0 refused");
    expect((await listDocuments()).map(({ version }) => version)).toEqual([1, 1, 1]);
    expect(await listFolders()).toEqual(folders);
  });

  test("a changed file changes its document, a new file creates one, and folders are reused", async () => {
    const root = join(await writeFiles(NOTES), "notes");
    await runImport(root);
    const before = await readDocument("Rome in spring");
    await writeFiles({
      "notes/trips/rome.md": "# Rome in autumn\n\nPantheon\n",
      "notes/trips/oslo.md": "# Oslo\n",
    });
    expect((await runImport(root)).output).toContain("1 created, 1 updated, 2 skipped");
    const after = await readDocument("Rome in autumn");
    expect(after).toMatchObject({
      id: before.id,
      version: 2,
      content: { text: "# Rome in autumn\n\nPantheon\n" },
    });
    expect(await titles()).toEqual(["Oslo", "Packing list", "plan", "Rome in autumn"]);
    expect(await listFolders()).toEqual({ "/trips": 2, "/trips/2027": 1 });
  });

  test("a folder that moved on the disk keeps its documents", async () => {
    const root = join(await writeFiles(NOTES), "notes");
    await runImport(root);
    const moved = join(files.path, "moved");
    await rename(root, moved);
    await runImport(moved);
    expect(await titles()).toHaveLength(3);
    await writeFile(join(moved, "trips/rome.md"), "# Rome\n");
    expect((await runImport(moved)).output).toContain("0 created, 1 updated, 2 skipped");
    expect(await titles()).toEqual(["Packing list", "plan", "Rome"]);
  });

  test("what was deleted in the account is imported again", async () => {
    const root = join(await writeFiles(NOTES), "notes");
    await runImport(root);
    await remove(`/api/documents/${(await readDocument("plan")).id}`);
    expect((await runImport(root)).output).toContain("1 created, 0 updated, 2 skipped");
    await remove(`/api/documents/${(await readDocument("plan")).id}`);
    expect((await runImport(root)).output).toContain("1 created, 0 updated, 2 skipped");
    expect(await titles()).toEqual(["Packing list", "plan", "Rome in spring"]);
  });

  test("times ahead of the service's clock become its current time", async () => {
    const root = await writeFiles({ "old.md": "---\ncreated: 2020-01-02\n---\nold\n", "new.md": "new\n" });
    const ahead = new Date(Date.now() + 3_600_000);
    for (const name of ["old.md", "new.md"]) await utimes(join(root, name), ahead, ahead);
    expect((await runImport(root)).output).toContain("2 created, 0 updated, 0 skipped, 0 refused");
    const old = await readDocument("old");
    expect(old.created_at).toBe("2020-01-02T00:00:00.000Z");
    for (const { updated_at } of [old, await readDocument("new")])
      expect(Math.abs(Date.parse(updated_at) - Date.now())).toBeLessThan(60_000);
  });

  test("unreadable files are named, and the rest is imported", async () => {
    const root = await writeFiles({
      "good.md": "# Good\n",
      "sub/latin1.md": Buffer.from([0x23, 0x20, 0xe4, 0x0a]),
      "sub/yaml.md": "---\ntitle: [unclosed\n---\ntext\n",
      "large.md": "x".repeat(1_100_000),
      "quotes.md": '"'.repeat(600_000),
      "tag.md": `---\ntitle: Tagged\ntags: [${"t".repeat(65)}, good]\n---\n`,
      "long.md": `# ${"l".repeat(499)}😀\n`,
      "null.txt": "a\u0000b",
    });
    const { code, output } = await runImport(root);
    expect(code).toBe(1);
    expect(output).toContain("4 created, 0 updated, 0 skipped, 4 refused");
    expect(output).toContain("Refused: sub/latin1.md: is not UTF-8");
    expect(output).toMatch(/Note: sub\/yaml\.md: its front matter is not valid YAML.* line \d/);
    expect(output).toMatch(/Refused: large\.md: is larger than 1 MiB/);
    expect(output).toMatch(/Refused: quotes\.md: is larger than 1 MiB/);
    expect(output).toMatch(/Refused: null\.txt: content: .*U\+0000/);
    expect(output).toContain("Note: tag.md: 1 of its tags were left out: longer than 64 characters");
    expect(output).toContain("Note: long.md: its title has 501 characters and was cut to 500");
    expect(await titles()).toEqual(["Good", "l".repeat(499), "Tagged", "yaml"]);
    expect((await readDocument("Tagged")).tags).toEqual(["good"]);
    expect((await readDocument("yaml")).content).toMatchObject({
      text: "---\ntitle: [unclosed\n---\ntext\n",
    });
  });
});

describe("a file of JSON lines", () => {
  test("is imported line by line, and an invalid line is named and skipped", async () => {
    await writeFiles({
      "texts.jsonl": [
        lines({ id: "a", title: "First", text: "one\u2028two", tags: ["x"] }),
        "{broken\n",
        lines({ id: "b", text: "no title but these words" }),
        "\n",
        lines({ id: "empty", title: "", text: "" }),
        lines({ content: { format: "markdown", text: "an object", extra: 1 } }),
        lines({ title: "Wrong tags", tags: "x" }),
        lines({ title: "A string", content: "plain" }),
        lines({ id: "a", title: "Another", text: "with the id of the first" }),
        lines({}),
        lines([1]),
        '{"title": "No line end"}',
      ].join(""),
    });
    const file = join(files.path, "texts.jsonl");
    const first = await runImport(file);
    expect(first.code).toBe(1);
    expect(first.output).toContain("6 created, 0 updated, 0 skipped, 5 refused");
    expect(first.output).toContain("Refused: line 2: is not JSON: ");
    expect(first.output).toContain("Refused: line 7: tags: ");
    expect(first.output).toContain("Refused: line 9: has the same id as line 1");
    expect(first.output).toContain("Refused: line 10: has neither a title nor a text nor an id");
    expect(first.output).toContain("Refused: line 11: ");
    expect(await titles()).toEqual([
      "A string",
      "an object",
      "empty",
      "First",
      "No line end",
      "no title but these words",
    ]);
    expect(await readDocument("First")).toMatchObject({
      tags: ["x"],
      content: { text: "one\u2028two", id: "a" },
    });
    expect((await readDocument("an object")).content).toMatchObject({ text: "an object", extra: 1 });
    expect((await runImport(file)).output).toContain("0 created, 0 updated, 6 skipped, 5 refused");
  });

  test("is imported exactly once, however often service and import are killed", async () => {
    const count = 600;
    const items = Array.from({ length: count }, (_, index) => ({
      id: index,
      title: `Document ${index}`,
      text: `the needle${index} of this haystack`,
    }));
    await writeFiles({ "texts.jsonl": lines(...items) });
    const file = join(files.path, "texts.jsonl");
    const total = async () => (await get<DocumentList>("/api/documents?limit=1")).total;
    const ports = { api: Number(new URL(service.apiUrl).port), mcp: Number(new URL(service.mcpUrl).port) };

    const killed = startImport(file, "--folder", "Haystack");
    await until(
      async () => (await total()) >= count / 6,
      () => "Nothing was imported",
    );
    await service.kill();
    killImport(killed);
    service = await startService(state.path, SETTINGS, ports);
    const afterKill = await total();
    expect(afterKill).toBeGreaterThanOrEqual(count / 6);
    expect(afterKill).toBeLessThan(count);

    // This one survives a restart: it waits until the service is back.
    const patient = startImport(file, "--folder", "Haystack");
    await until(
      async () => (await total()) >= count / 2,
      () => "Nothing was imported",
    );
    await service.kill();
    service = await startService(state.path, SETTINGS, ports);
    const { code, output } = await patient.done();
    expect(output).toContain("0 refused");
    expect(code, output).toBe(0);

    expect((await runImport(file, "--folder", "Haystack")).output).toContain(`${count} skipped`);
    expect((await titles()).toSorted()).toEqual(items.map(({ title }) => title).toSorted());
    expect(await listFolders()).toEqual({ "/Haystack": count });
    for (const { title, id } of items.filter((_, index) => index % 10 === 0)) {
      const found = await get<SearchAnswer>(`/api/search?q=needle${id}`);
      expect(documentsOf(found).map(({ title }) => title)).toEqual([title]);
      expect(found.total).toBe(1);
    }
  }, 300_000);
});

describe("a mirror", () => {
  const NOTES = {
    "notes/a.md": "---\ndate: 2019-05-01\nupdated: 2020-05-02\n---\n# Apple\n",
    "notes/b.txt": "pear\n",
    "notes/trips/rome.md": "# Rome\n",
    "notes/trips/oslo.md": "# Oslo\n",
  };
  const mirror = (...args: string[]) =>
    runImport(join(files.path, "notes"), "--folder", "Notes", "--mirror", ...args);

  test("shows the changes, asks, and then keeps the folder equal to the disk", async () => {
    await writeFiles(NOTES);
    const asked = await mirror();
    expect(asked.output).toContain("To create: 4");
    expect(asked.output).toContain("add --yes to carry it out");
    expect(asked.code).toBe(1);
    const looked = await mirror("--dry-run");
    expect(looked).toMatchObject({ code: 0, output: expect.stringContaining("Nothing was changed.") });
    expect([await titles(), await listFolders()]).toEqual([[], {}]);

    expect((await mirror("--yes")).output).toContain("4 created, 0 updated, 0 to the trash, 0 skipped");
    const before = await listDocuments();
    const found = await get<SearchAnswer>("/api/search?q=apple%20before:2020-06-01%20after:2020-05-01");
    expect(documentsOf(found).map(({ title }) => title)).toEqual(["Apple"]);
    expect((await readDocument("Apple")).created_at).toBe("2019-05-01T00:00:00.000Z");
    expect(await mirror("--yes")).toEqual({
      code: 0,
      output:
        "0 created, 0 updated, 0 to the trash, 4 skipped, 0 refused\nSkipped: already there and unchanged.\n",
    });
    expect(await listDocuments()).toEqual(before);

    const root = join(files.path, "notes");
    await rename(join(root, "trips"), join(root, "journeys"));
    await mkdir(join(root, "fruit"));
    await rename(join(root, "a.md"), join(root, "fruit", "a.md"));
    await rm(join(root, "b.txt"));
    const changed = await mirror("--yes");
    expect(changed.output).toContain("/Notes/trips → /Notes/journeys");
    expect(changed.output).toContain("0 created, 1 updated, 1 to the trash, 2 skipped");
    const after = await listDocuments();
    expect(after.map(({ title, id }) => [title, id])).toEqual(
      before.filter(({ title }) => title !== "b").map(({ title, id }) => [title, id]),
    );
    expect(after.map(({ version }) => version)).toEqual([2, 1, 1]);
    expect(await listFolders()).toEqual({ "/Notes": 0, "/Notes/fruit": 1, "/Notes/journeys": 2 });
    expect((await get<{ total: number }>("/api/trash")).total).toBe(1);
    expect((await mirror("--yes")).output).toContain("0 created, 0 updated, 0 to the trash, 3 skipped");
  });

  test("keeps what others wrote, and does nothing without a listing", async () => {
    const root = join(await writeFiles(NOTES), "notes");
    await mirror("--yes");
    const { items } = await get<FolderList>("/api/folders");
    await send("POST", "/api/documents", {
      title: "Mine",
      folder_id: items.find(({ name }) => name === "Notes")?.id,
    });
    await rm(root, { recursive: true });
    expect(await mirror("--yes")).toMatchObject({
      code: 1,
      output: expect.stringContaining("does not exist"),
    });
    await mkdir(root);
    expect((await mirror("--yes")).output).toContain("an empty folder is not mirrored");
    await writeFiles({ "notes/b.txt": Buffer.from([0xff]), "notes/c.md": "# New\n" });
    const partly = await mirror("--yes");
    expect(partly.output).toContain("1 created, 0 updated, 3 to the trash, 0 skipped, 1 refused");
    expect(await titles()).toEqual(["b", "Mine", "New"]);
  });

  test("that is killed is completed by the next run", async () => {
    const texts = (start: number) =>
      Object.fromEntries(
        Array.from({ length: 300 }, (_, n) => [
          `notes/${start + n}.md`,
          `# Text ${start + n}\n${"word ".repeat(300)}`,
        ]),
      );
    await writeFiles(texts(0));
    await mirror("--yes");
    await rm(join(files.path, "notes"), { recursive: true });
    await writeFiles(texts(200));
    const killed = startImport(join(files.path, "notes"), "--folder", "Notes", "--mirror", "--yes");
    await until(
      async () => (await titles()).includes("Text 300") || killed.child.exitCode !== null,
      () => "Nothing was written",
    );
    killImport(killed);
    await killed.done();
    expect((await mirror("--yes")).code).toBe(0);
    expect((await mirror("--yes")).output).toContain("0 created, 0 updated, 0 to the trash, 300 skipped");
    expect((await titles()).toSorted()).toEqual(
      Array.from({ length: 300 }, (_, n) => `Text ${200 + n}`).toSorted(),
    );
  });
});

describe("the command", () => {
  test("explains what is wrong with its arguments", async () => {
    const cases: [string[], string][] = [
      [[], "missing required argument"],
      [[join(files.path, "nothing")], "does not exist"],
      [[import.meta.filename], "is neither a folder nor a .jsonl file"],
      [[files.path, "--password", "a wrong password"], "Sign-in failed: E-mail or password is wrong"],
      [[files.path, "--key", "cpk_nothing"], "does not accept the API key"],
      [[files.path, "--key", "secret"], "begins with cpk_"],
      [[files.path, "--password-file", "nothing"], "password file cannot be read"],
      [[files.path, "--yes"], "work only with --mirror"],
      [[files.path, "--url", `http://localhost:${(await freePorts()).api}`], "is the service running?"],
    ];
    for (const [args, message] of cases) {
      const { code, output } = await runImport(...args);
      expect(output).toContain(message);
      expect(code).toBe(1);
    }
  });

  test("names the missing options when there is no terminal", async () => {
    await writeFiles({ "a.md": "# A\n" });
    const { COMMONPLACE_PASSWORD: _, ...others } = environment();
    const { output } = await startWith(others, files.path).done();
    expect(output).toContain("--password-file");
    expect(output).toContain("COMMONPLACE_PASSWORD");
  });

  test("accepts an API key or a password file and an address without a scheme, and ends its session", async () => {
    await writeFiles({ "notes/a.md": "# A\n", password: `${PASSWORD}\n` });
    const notes = join(files.path, "notes");
    const { key } = await send<{ key: string }>("POST", "/api/api-keys", {
      name: "Importer",
      scopes: ["docs:read", "docs:write"],
    });
    const bare = { COMMONPLACE_URL: account.url.replace("http://", "") };
    const { COMMONPLACE_PASSWORD: _, COMMONPLACE_EMAIL: __, ...nobody } = environment();
    const byKey = await startWith({ ...nobody, ...bare, COMMONPLACE_KEY: key }, notes).done();
    expect(byKey.output).toContain("1 created");
    const somebody = { ...nobody, ...bare, COMMONPLACE_EMAIL: account.email };
    const byFile = await startWith(somebody, notes, "--password-file", join(files.path, "password")).done();
    expect(byFile.output).toContain("1 skipped");
    const sessions = async () =>
      (await get<{ items: { user_agent: string }[] }>("/api/auth/sessions")).items.map(
        ({ user_agent }) => user_agent,
      );
    expect(await sessions()).toHaveLength(1);
    const client = await connect({ ...account, program: "Commonplace import (here)" });
    expect(await sessions()).toContain("Commonplace import (here)");
    await client.end();
    expect(await sessions()).toHaveLength(1);
  });

  test("ten thousand files take about three requests per hundred, and the request limit is respected", async () => {
    const count = Number(process.env.IMPORT_FILES ?? 500);
    await writeFiles(
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`notes/${n}.md`, `# ${n}\n`])),
    );
    const requests: string[] = [];
    let refusals = 0;
    const { hostname, port } = new URL(account.url);
    const proxy = createServer((incoming, response) => {
      requests.push(`${incoming.method} ${incoming.url}`);
      if (requests.length % 4 === 0) {
        refusals++;
        response.writeHead(429, { "Retry-After": "0" }).end('{"detail": "Later"}');
        return;
      }
      const { url: path, method, headers } = incoming;
      const outgoing = request({ hostname, port, path, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      incoming.pipe(outgoing);
    });
    const { url, close } = await listen(proxy);
    const first = await runImport(join(files.path, "notes"), "--url", url);
    await close();
    expect(first.output).toContain(`${count} created, 0 updated, 0 skipped, 0 refused`);
    expect(refusals).toBeGreaterThan(1);
    expect(requests.length - refusals).toBeLessThan(count / 100 + 10);
    expect((await runImport(join(files.path, "notes"))).output).toContain(`${count} skipped`);
  });

  test("reports what it is waiting for", async () => {
    let asked = 0;
    const server = createServer((incoming, response) => {
      const isLimited = incoming.url !== "/health" && asked++ === 0;
      response.writeHead(isLimited ? 429 : 200, { "Retry-After": "1" }).end("{}");
    });
    const { url, close } = await listen(server);
    const reasons: unknown[] = [];
    const client = await connect({ url, key: "cpk_x", program: "test" }, (why) => reasons.push(why));
    await client.send({ method: "GET", path: "/api/documents" });
    await close();
    expect(reasons).toEqual(["waiting 1 s because of the rate limit", undefined]);
  });

  test("a document that is deleted between listing and writing is created again", async () => {
    const client = await connect({ ...account, program: "test" });
    const gone = { title: "gone", id: crypto.randomUUID(), version: 1 };
    const update = { operation: "update" as const, id: gone.id, expected_version: 1, title: "here again" };
    const operations = [{ where: "here again", body: update }, trashOperation(gone as Imported)];
    expect((await writeGroup(client, operations)).map(({ why }) => why)).toEqual([undefined, undefined]);
    expect(await titles()).toEqual(["here again"]);
    const into = { ...update, folder_id: crypto.randomUUID() };
    const [refused] = await writeGroup(client, [{ where: "into no folder", body: into }]);
    expect(refused?.why).toBe("folder_id: not found");
    await client.end();
  });

  test("an import continues when its session has ended", async () => {
    const client = await connect({ ...account, program: "test" });
    const headers = { Authorization: `Bearer ${token}` };
    await fetch(`${account.url}/api/auth/logout-all`, { method: "POST", headers });
    const requests = Array.from({ length: 5 }, () =>
      client.send<DocumentList>({ method: "GET", path: "/api/documents" }),
    );
    expect((await Promise.all(requests)).map(({ total }) => total)).toEqual([0, 0, 0, 0, 0]);
  });
});
