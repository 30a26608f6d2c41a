import { mkdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { signInClient } from "../../scripts/common/client.ts";
import type { DocumentList } from "../../src/contract/document.ts";
import type { FolderList } from "../../src/contract/folder.ts";
import { documentResults, type SearchAnswer } from "../../src/contract/search.ts";
import type { ImportedDocument } from "../../src/shared/import/imported.ts";
import { trashOperation, writeOperations } from "../../src/shared/import/write.ts";
import { tarOf } from "../kit/tar.ts";
import {
  account,
  environment,
  files,
  get,
  importing,
  lines,
  listDocuments,
  listFolders,
  PASSWORD,
  readDocument,
  restart,
  runImport,
  send,
  startImport,
  startWith,
  titles,
  token,
  writeFiles,
} from "./importer.ts";
import { proxyTo } from "./loopback.ts";
import { nightly } from "./nightly.ts";
import { freePorts, until } from "./service.ts";

// `npm run import`: what it makes of files, what it asks and says, and how its requests fare.

importing();

describe("a folder of Markdown", () => {
  const NOTES = {
    "notes/packing.md":
      "---\ntitle: Packing list\ntags: [travel, lists]\nauthor: Ada\n---\n# Things\n\npassport\n",
    "notes/trips/rome.md": "# Rome in spring\n\nColosseum\n",
    "notes/trips/2027/plan.markdown": "No heading, only words.\n",
    "notes/.hidden/cache.md": "# Not a note\n",
    "notes/picture.png": "not Markdown",
  };

  test("a changed file changes its document, a new or deleted one is created, and folders are reused", async () => {
    const root = join(await writeFiles(NOTES), "notes");
    await runImport(root);
    const before = await readDocument("Rome in spring");
    await writeFiles({
      "notes/trips/rome.md": "# Rome in autumn\n\nPantheon\n",
      "notes/trips/oslo.md": "# Oslo\n",
    });
    await send("DELETE", `/api/documents/${(await readDocument("plan")).id}`);
    expect((await runImport(root)).output).toContain("2 created, 1 updated, 1 skipped");
    const after = await readDocument("Rome in autumn");
    expect(after).toMatchObject({
      id: before.id,
      version: 2,
      content: { text: "# Rome in autumn\n\nPantheon\n" },
    });
    expect(await titles()).toEqual(["Oslo", "Packing list", "plan", "Rome in autumn"]);
    expect(await listFolders()).toEqual({ "/trips": 2, "/trips/2027": 1 });
  });

  test("times ahead of the service's clock become its current time", async () => {
    const root = await writeFiles({ "old.md": "---\ncreated: 2020-01-02\n---\nold\n" });
    const ahead = new Date(Date.now() + 3_600_000);
    await utimes(join(root, "old.md"), ahead, ahead);
    expect((await runImport(root)).output).toContain("1 created, 0 updated, 0 skipped, 0 refused");
    const { created_at, updated_at } = await readDocument("old");
    expect(created_at).toBe("2020-01-02T00:00:00.000Z");
    expect(Math.abs(Date.parse(updated_at) - Date.now())).toBeLessThan(60_000);
  });

  test("unreadable files are named, and the rest is imported", async () => {
    const root = await writeFiles({
      "good.md": "# Good\n",
      "sub/latin1.md": Buffer.from([0x23, 0x20, 0xe4, 0x0a]),
      "sub/image.md": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x01]),
      "sub/yaml.md": "---\ntitle: [unclosed\n---\ntext\n",
      "large.md": "x".repeat(1_100_000),
      "quotes.md": '"'.repeat(600_000),
      "tag.md": `---\ntitle: Tagged\ntags: [${"t".repeat(65)}, good]\n---\n`,
      "long.md": `# ${"l".repeat(499)}😀\n`,
      "null.txt": "a\u0000b",
    });
    const { code, output } = await runImport(root);
    expect(code).toBe(1);
    expect(output).toContain("5 created, 0 updated, 0 skipped, 4 refused");
    for (const line of [
      "Note: sub/latin1.md: it is not UTF-8 and was read as Windows-1252",
      "Refused: sub/image.md: is not a text in UTF-8, UTF-16 or Windows-1252",
      "Note: sub/yaml.md: its front matter is not valid YAML, so",
      "Refused: large.md: is larger than 1 MiB",
      "Refused: quotes.md: is larger than 1 MiB",
      "Refused: null.txt: content: ",
      "Note: tag.md: 1 of its tags were skipped: longer than 64 characters",
      "Note: long.md: its title has 501 characters and was cut to 500",
    ])
      expect(output).toContain(line);
    expect(await titles()).toEqual(["[unclosed", "Good", "l".repeat(499), "Tagged", "ä"]);
    expect((await readDocument("Tagged")).tags).toEqual(["good"]);
    expect((await readDocument("[unclosed")).content).toMatchObject({
      ...{ text: "text\n", front_matter_source: "---\ntitle: [unclosed\n---\n" },
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
    for (const line of [
      "6 created, 0 updated, 0 skipped, 5 refused",
      "Refused: line 2: is not JSON: ",
      "Refused: line 7: tags: ",
      "Refused: line 9: has the same id as line 1",
      "Refused: line 10: has no title, text or id",
      "Refused: line 11: ",
    ])
      expect(first.output).toContain(line);
    const found = ["A string", "an object", "empty", "First", "No line end", "no title but these words"];
    expect(await titles()).toEqual(found);
    expect(await readDocument("First")).toMatchObject({
      tags: ["x"],
      content: { text: "one\u2028two", id: "a" },
    });
    expect((await readDocument("an object")).content).toMatchObject({ text: "an object", extra: 1 });
    expect((await runImport(file)).output).toContain("0 created, 0 updated, 6 skipped, 5 refused");
  });

  nightly(
    "is imported exactly once, however often service and import are killed",
    async () => {
      const count = 600;
      const items = Array.from({ length: count }, (_, index) => ({
        id: index,
        title: `Document ${index}`,
        text: `the needle${index} of this haystack`,
      }));
      await writeFiles({ "texts.jsonl": lines(...items) });
      const file = join(files.path, "texts.jsonl");
      const total = async () => (await get<DocumentList>("/api/documents?limit=1")).total;
      const reached = (least: number) =>
        until(
          async () => (await total()) >= least,
          () => "Nothing was imported",
        );

      const killed = startImport(file, "--folder", "Haystack");
      await reached(count / 6);
      await restart(() => killed.signal("SIGKILL"));
      const afterKill = await total();
      expect(afterKill).toBeGreaterThanOrEqual(count / 6);
      expect(afterKill).toBeLessThan(count);

      // This one survives a restart: it waits until the service is back.
      const patient = startImport(file, "--folder", "Haystack");
      await reached(count / 2);
      await restart();
      const { code, output } = await patient.ended;
      expect(output).toContain("0 refused");
      expect(code, output).toBe(0);

      expect((await runImport(file, "--folder", "Haystack")).output).toContain(`${count} skipped`);
      expect((await titles()).toSorted()).toEqual(items.map(({ title }) => title).toSorted());
      expect(await listFolders()).toEqual({ "/Haystack": count });
      for (const { title, id } of items.filter((_, index) => index % 10 === 0)) {
        const found = await get<SearchAnswer>(`/api/search?q=needle${id}`);
        expect(documentResults(found).map(({ title }) => title)).toEqual([title]);
        expect(found.total).toBe(1);
      }
    },
    300_000,
  );
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
    expect(asked.output).toContain("add --yes to make the changes");
    expect(asked.code).toBe(1);
    const looked = await mirror("--dry-run");
    expect(looked).toMatchObject({ code: 0, output: expect.stringContaining("Nothing was changed.") });
    expect([await titles(), await listFolders()]).toEqual([[], {}]);

    expect((await mirror("--yes")).output).toContain("4 created, 0 updated, 0 to the trash, 0 skipped");
    const before = await listDocuments();
    const found = await get<SearchAnswer>("/api/search?q=apple%20before:2020-06-01%20after:2020-05-01");
    expect(documentResults(found).map(({ title }) => title)).toEqual(["Apple"]);
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
    // A file that changes after its folder was renamed is still the same.
    await writeFiles({ "notes/journeys/rome.md": "# Rome\n\nPantheon\n" });
    expect((await mirror("--yes")).output).toContain("0 created, 1 updated, 0 to the trash, 2 skipped");
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
    await writeFiles({ "notes/b.txt": Buffer.from([0x00, 0x01]), "notes/c.md": "# New\n" });
    const partly = await mirror("--yes");
    expect(partly.output).toContain("1 created, 0 updated, 3 to the trash, 0 skipped, 1 refused");
    expect(await titles()).toEqual(["b", "Mine", "New"]);
  });
});

/** A zip that says that it unpacks to 300 MiB, which a real one takes a minute to deserve. */
function bomb(): Buffer {
  const bytes = Buffer.from(zipSync({ "a.md": new Uint8Array(1024) }));
  bytes.writeUInt32LE(300 * 1024 * 1024, bytes.indexOf("PK\u0001\u0002") + 24);
  return bytes;
}

async function joplin(): Promise<Uint8Array> {
  const [book, note] = ["a".repeat(32), "b".repeat(32)];
  const jex = tarOf({
    [`${book}.md`]: `Garden\n\nid: ${book}\ntype_: 2`,
    [`${note}.md`]: `Roses\n\nPrune in March\n\nid: ${note}\nparent_id: ${book}\ntype_: 1`,
  });
  return new Uint8Array(await jex.arrayBuffer());
}

describe("the command", () => {
  test("explains what is wrong with its arguments and their files", async () => {
    await writeFile(join(files.path, "bomb.zip"), bomb());
    await writeFile(join(files.path, "cut.jex"), (await joplin()).subarray(0, -1024));
    const cases: [string[], string][] = [
      [[], "missing required argument"],
      [[join(files.path, "nothing")], "does not exist"],
      [[import.meta.filename], "is not a folder or a .zip, .jex, .jsonl, .csv, .json or .ics file"],
      [[files.path, "--password", "a wrong password"], "Sign-in failed: Email or password is wrong"],
      [[files.path, "--key", "cpk_nothing"], "does not accept the API key"],
      [[files.path, "--key", "secret"], "starts with cpk_"],
      [[files.path, "--password-file", "nothing"], "read the password file"],
      [[files.path, "--yes"], "work only with --mirror"],
      [[join(files.path, "bomb.zip")], "bomb.zip would unpack to 300 MiB, "],
      [[join(files.path, "cut.jex")], "cut.jex is incomplete or damaged, so nothing in it was read"],
      [[files.path, "--url", `http://localhost:${(await freePorts()).api}`], "is the service running?"],
    ];
    for (const [args, message] of cases) {
      const { code, output } = await runImport(...args);
      expect(output).toContain(message);
      expect(output).not.toMatch(/\n\s+at /);
      expect(code).toBe(1);
    }
  });

  test("takes an export of Joplin", async () => {
    await writeFile(join(files.path, "notes.jex"), await joplin());
    expect((await runImport(join(files.path, "notes.jex"))).output).toContain("1 created");
    expect(await titles()).toEqual(["Roses"]);
  });

  test("accepts an API key or a password file and an address without a scheme, and ends its session", async () => {
    await writeFiles({ "notes/a.md": "# A\n", password: `${PASSWORD}\n` });
    const notes = join(files.path, "notes");
    const { key } = await send<{ key: string }>("POST", "/api/api-keys", {
      name: "Importer",
      scopes: ["docs:read", "docs:write"],
    });
    const bare = { COMMONPLACE_URL: account.url.replace("http://", "") };
    const { COMMONPLACE_PASSWORD: _, COMMONPLACE_EMAIL: __, ...others } = environment();
    // There is no terminal to ask in.
    const byEmail = { ...others, ...bare, COMMONPLACE_EMAIL: account.email };
    const asked = await startWith(byEmail, notes).ended;
    for (const option of ["--password-file", "COMMONPLACE_PASSWORD"]) expect(asked.output).toContain(option);
    const byKey = await startWith({ ...others, ...bare, COMMONPLACE_KEY: key }, notes).ended;
    expect(byKey.output).toContain("1 created");
    const byFile = await startWith(byEmail, notes, "--password-file", join(files.path, "password")).ended;
    expect(byFile.output).toContain("1 skipped");
    const sessions = async () =>
      (await get<{ items: { user_agent: string }[] }>("/api/auth/sessions")).items.map(
        ({ user_agent }) => user_agent,
      );
    expect(await sessions()).toHaveLength(1);
    const client = await signInClient({ ...account, program: "Commonplace import (here)" });
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
    const { url, close } = await proxyTo(account.url, (incoming, response) => {
      requests.push(`${incoming.method} ${incoming.url}`);
      if (requests.length % 4 !== 0) return {};
      refusals++;
      response.writeHead(429, { "Retry-After": "0" }).end('{"detail": "Later"}');
      return "answered";
    });
    const first = await runImport(join(files.path, "notes"), "--url", url);
    await close();
    expect(first.output).toContain(`${count} created, 0 updated, 0 skipped, 0 refused`);
    expect(refusals).toBeGreaterThan(1);
    expect(requests.length - refusals).toBeLessThan(count / 100 + 10);
    expect((await runImport(join(files.path, "notes"))).output).toContain(`${count} skipped`);
  });

  test("a document that is deleted between listing and writing is created again", async () => {
    const client = await signInClient({ ...account, program: "test" });
    const gone = { title: "gone", id: crypto.randomUUID(), version: 1 };
    const update = { operation: "update" as const, id: gone.id, expected_version: 1, title: "here again" };
    const operations = [{ where: "here again", body: update }, trashOperation(gone as ImportedDocument)];
    expect((await writeOperations(client, operations)).map(({ why }) => why)).toEqual([undefined, undefined]);
    expect(await titles()).toEqual(["here again"]);
    const into = { ...update, folder_id: crypto.randomUUID() };
    const [refused] = await writeOperations(client, [{ where: "into no folder", body: into }]);
    expect(refused?.why).toBe("folder_id: not found");
    await client.end();
  });

  test("an import continues when its session has ended", async () => {
    const client = await signInClient({ ...account, program: "test" });
    const headers = { Authorization: `Bearer ${token}` };
    await fetch(`${account.url}/api/auth/logout-all`, { method: "POST", headers });
    const requests = Array.from({ length: 5 }, () =>
      client.send<DocumentList>({ method: "GET", path: "/api/documents" }),
    );
    expect((await Promise.all(requests)).map(({ total }) => total)).toEqual([0, 0, 0, 0, 0]);
  });
});
