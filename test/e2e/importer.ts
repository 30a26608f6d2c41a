import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { Document, DocumentList } from "../../src/contract/document.ts";
import type { FolderList } from "../../src/contract/folder.ts";
import { type Ask, askWith } from "./ask.ts";
import { type Shared, sharedService } from "./instances.ts";
import { begin } from "./script.ts";
import { register, temporaryFolder } from "./service.ts";

// `npm run import` into an account, and what the account has then. Each test has an account and a folder of its own; the
// tests of a file share a service.

export const PASSWORD = "a long password";

let shared: Shared;
export let files: Awaited<ReturnType<typeof temporaryFolder>>;
export let account: { url: string; email: string; password: string };
export let token: string;
let people = 0;

/** Creates another account on the service. */
export const registerHere = (email: string) => register(shared.service.apiUrl, { email, password: PASSWORD });

/** Starts a service before the tests of a file, and an account and a folder before each of them. */
export function importing(): void {
  // Each test signs in several times, always from the same address.
  shared = sharedService({ RATE_LIMIT_LOGIN: "1000/60", RATE_LIMIT_REGISTER: "1000/60" });

  beforeEach(async () => {
    files = await temporaryFolder();
    const email = `importer${++people}@example.com`;
    account = { url: shared.service.apiUrl, email, password: PASSWORD };
    token = await registerHere(email);
  });

  afterEach(() => files.remove());
}

/** Kills the service, and starts it again. `between` runs while it is gone. */
export const restart = (between?: () => void) => shared.restart(between);

/** The options that identify this test's account. */
export const environment = (): Record<string, string | undefined> => ({
  COMMONPLACE_URL: account.url,
  COMMONPLACE_EMAIL: account.email,
  COMMONPLACE_PASSWORD: account.password,
});

/** Starts `npm run import` as this test's account. */
export const startImport = (...args: string[]) => startWith(environment(), ...args);

export const startWith = (env: Record<string, string | undefined>, ...args: string[]) =>
  begin(["npm", "run", "--silent", "import", "--", ...args], { env });

export const runImport = (...args: string[]) => startImport(...args).ended;

/** Sends a request as this test's account. */
export const send: Ask = (method, path, body) => askWith(account.url, token)(method, path, body);

export const get = <Body>(path: string) => send<Body>("GET", path);

export async function listDocuments(): Promise<DocumentList["items"]> {
  const items: DocumentList["items"] = [];
  for (;;) {
    const page = await get<DocumentList>(`/api/documents?sort=title&limit=100&offset=${items.length}`);
    items.push(...page.items);
    if (items.length >= page.total) return items;
  }
}

export const titles = async () => (await listDocuments()).map(({ title }) => title);

export async function readDocument(title: string): Promise<Document> {
  const found = (await listDocuments()).find((item) => item.title === title);
  if (!found) throw new Error(`No document is called ${title}`);
  return get<Document>(`/api/documents/${found.id}`);
}

/** Folder paths of the account, with the number of documents in each. */
export async function listFolders(): Promise<Record<string, number>> {
  const { items } = await get<FolderList>("/api/folders?limit=1000");
  const pathOf = (id: string | null): string => {
    const folder = items.find((item) => item.id === id);
    return folder ? `${pathOf(folder.parent_id)}/${folder.name}` : "";
  };
  return Object.fromEntries(items.map(({ id, document_count }) => [pathOf(id), document_count]));
}

export async function writeFiles(contents: Record<string, string | Buffer>): Promise<string> {
  for (const [path, content] of Object.entries(contents)) {
    const file = join(files.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return files.path;
}

export const lines = (...items: unknown[]) => items.map((item) => `${JSON.stringify(item)}\n`).join("");
