import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connect, retryAfter } from "../../scripts/import/client.ts";
import { firstWords } from "../../scripts/import/json-lines.ts";
import { firstHeading, splitFrontMatter, tagsOf } from "../../scripts/import/markdown.ts";
import type { Document, DocumentList } from "../../src/documents/schema.ts";
import type { FolderList } from "../../src/folders/schema.ts";
import { documentsOf, type SearchAnswer } from "../../src/search/schema.ts";
import { freePorts, register, type Service, startService, temporaryFolder, until } from "./service.ts";

const PASSWORD = "a long password";

let state: Awaited<ReturnType<typeof temporaryFolder>>;
let files: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let account: { url: string; email: string; password: string };
let token: string;
let people = 0;

// Each test signs in several times, all of them from one address.
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

/** Starts `npm run import` as this test's account. */
function startImport(...args: string[]) {
  const child = spawn("npm", ["run", "--silent", "import", "--", ...args], {
    env: {
      ...process.env,
      COMMONPLACE_URL: account.url,
      COMMONPLACE_EMAIL: account.email,
      COMMONPLACE_PASSWORD: account.password,
    },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]).then((streams) => streams.join(""));
  const exited = once(child, "exit").then(([code]) => code as number | null);
  return { child, done: async () => ({ code: await exited, output: await printed }) };
}

const runImport = (...args: string[]) => startImport(...args).done();

async function get<Body>(path: string): Promise<Body> {
  const response = await fetch(account.url + path, { headers: { Authorization: `Bearer ${token}` } });
  expect(response.status, path).toBe(200);
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

  test("comes in with titles, tags and folders, and a second time not at all", async () => {
    const root = join(await writeFiles(NOTES), "notes");
    const first = await runImport(root, "--folder", "Inbox/Notes", "--tag", "imported");
    expect(first).toEqual({ code: 0, output: "3 created, 0 updated, 0 skipped, 0 refused\n" });

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

  test("a changed file changes its document, a new one makes one, folders are found again", async () => {
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

  test("a folder that moved on the disk is the same, and stays the same", async () => {
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

  test("what was deleted in the account comes back", async () => {
    const root = join(await writeFiles(NOTES), "notes");
    await runImport(root);
    await remove(`/api/documents/${(await readDocument("plan")).id}`);
    expect((await runImport(root)).output).toContain("1 created, 0 updated, 2 skipped");
    await remove(`/api/documents/${(await readDocument("plan")).id}`);
    expect((await runImport(root)).output).toContain("1 created, 0 updated, 2 skipped");
    expect(await titles()).toEqual(["Packing list", "plan", "Rome in spring"]);
  });

  test("what cannot be read is named, and the rest comes in", async () => {
    const root = await writeFiles({
      "good.md": "# Good\n",
      "sub/latin1.md": Buffer.from([0x23, 0x20, 0xe4, 0x0a]),
      "sub/yaml.md": "---\ntitle: [unclosed\n---\ntext\n",
      "large.md": "x".repeat(1_100_000),
      "quotes.md": '"'.repeat(600_000),
      "tag.md": `---\ntags: ${"t".repeat(65)}\n---\n`,
    });
    const { code, output } = await runImport(root);
    expect(code).toBe(1);
    expect(output).toContain("1 created, 0 updated, 0 skipped, 5 refused");
    expect(output).toContain("Refused: sub/latin1.md: is not UTF-8");
    expect(output).toMatch(/Refused: sub\/yaml\.md: .* line \d/);
    expect(output).toMatch(/Refused: large\.md: is larger than 1 MiB/);
    expect(output).toMatch(/Refused: quotes\.md: is larger than 1 MiB/);
    expect(output).toMatch(/Refused: tag\.md: tags\.0: /);
    expect(await titles()).toEqual(["Good"]);
  });
});

describe("a file of JSON lines", () => {
  test("comes in line by line, and a broken line is named and passed over", async () => {
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
    const count = 200;
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
    process.kill(-(killed.child.pid ?? 0), "SIGKILL");
    service = await startService(state.path, SETTINGS, ports);
    const afterKill = await total();
    expect(afterKill).toBeGreaterThanOrEqual(count / 6);
    expect(afterKill).toBeLessThan(count);

    // This one lives through a restart: it waits until the service is back.
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
    for (const { title, id } of items) {
      const found = await get<SearchAnswer>(`/api/search?q=needle${id}`);
      expect(documentsOf(found).map(({ title }) => title)).toEqual([title]);
      expect(found.total).toBe(1);
    }
  }, 300_000);
});

describe("the command", () => {
  test("says what is wrong with its arguments", async () => {
    const cases: [string[], string][] = [
      [[], "missing required argument"],
      [[join(files.path, "nothing")], "does not exist"],
      [[import.meta.filename], "is neither a folder nor a .jsonl file"],
      [[files.path, "--password", "a wrong password"], "Sign-in failed: E-mail or password is wrong"],
      [[files.path, "--url", `http://localhost:${(await freePorts()).api}`], "is the service running?"],
    ];
    for (const [args, message] of cases) {
      const { code, output } = await runImport(...args);
      expect(output).toContain(message);
      expect(code).toBe(1);
    }
  });

  test("an import goes on when its session has ended", async () => {
    const client = await connect(account);
    const headers = { Authorization: `Bearer ${token}` };
    await fetch(`${account.url}/api/auth/logout-all`, { method: "POST", headers });
    const requests = Array.from({ length: 5 }, () =>
      client.send<DocumentList>({ method: "GET", path: "/api/documents" }),
    );
    expect((await Promise.all(requests)).map(({ total }) => total)).toEqual([0, 0, 0, 0, 0]);
  });
});

test("front matter is split off only where it is front matter", () => {
  const cases: [string, object, string][] = [
    ["---\ntitle: A\n---\nbody", { title: "A" }, "body"],
    ["---\r\ntitle: A\r\n---\r\nbody", { title: "A" }, "body"],
    ["---\n---\nbody", {}, "body"],
    ["---\ntitle: A\n---", { title: "A" }, ""],
    ["---\ndate: 2026-11-20\n---\n", { date: "2026-11-20" }, ""],
    ["---\nonly prose\n---\nbody", {}, "---\nonly prose\n---\nbody"],
    ["text\n---\ntitle: A\n---\n", {}, "text\n---\ntitle: A\n---\n"],
    ["---\ntitle: never closed", {}, "---\ntitle: never closed"],
    ["", {}, ""],
  ];
  for (const [source, data, body] of cases) expect(splitFrontMatter(source)).toEqual({ data, body });
});

test("tags come from a list or from a text", () => {
  expect(tagsOf(["a", 2026, null, " b ", "#c"])).toEqual(["a", "2026", "b", "c"]);
  expect(tagsOf("a, b c,,#d")).toEqual(["a", "b c", "d"]);
  expect(tagsOf(undefined)).toEqual([]);
  expect(tagsOf(null)).toEqual([]);
});

test("the first heading is outside code and without its marks", () => {
  const cases: [string, string | undefined][] = [
    ["text\n\n## Second level ##\n# First", "Second level"],
    ["```sh\n# a comment\n```\n# Title", "Title"],
    ["~~~\n# never closed", undefined],
    ["#no space\n#\n", undefined],
    ["# With # inside\r\n", "With # inside"],
    ["", undefined],
  ];
  for (const [source, heading] of cases) expect(firstHeading(source), source).toBe(heading);
});

test("the first words make a title", () => {
  expect(firstWords("  one\n two ")).toBe("one two");
  expect(firstWords("word ".repeat(40))).toBe(`${"word ".repeat(16).trim()}…`);
  expect(firstWords("x".repeat(200))).toBe(`${"x".repeat(80)}…`);
  expect(firstWords("😀".repeat(100)).isWellFormed()).toBe(true);
  expect(firstWords("")).toBe("");
});

test("Retry-After is seconds or a date", () => {
  expect(retryAfter("3")).toBe(3000);
  expect(retryAfter("Fri, 20 Nov 2026 09:30:10 GMT", Date.parse("2026-11-20T09:30:00Z"))).toBe(10_000);
  expect(retryAfter(null)).toBeUndefined();
  expect(retryAfter("soon")).toBeUndefined();
});
