import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { signInClient } from "../../scripts/common/client.ts";
import type { DocumentList } from "../../src/contract/document.ts";
import type { ImportedDocument } from "../../src/shared/import/imported.ts";
import { trashOperation, writeOperations } from "../../src/shared/import/write.ts";
import { tarOf } from "../kit/tar.ts";
import {
  account,
  environment,
  files,
  get,
  importing,
  PASSWORD,
  runImport,
  send,
  startWith,
  titles,
  token,
  writeFiles,
} from "./importer.ts";
import { proxyTo } from "./loopback.ts";
import { freePorts } from "./service.ts";

// What `npm run import` asks and says, and how its requests fare.

importing();

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
