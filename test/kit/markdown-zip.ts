import { expect } from "vitest";
import * as documents from "../../src/features/documents/routes.ts";
import {
  readExistingFilesFor,
  uploadItemFiles,
  withNeededFiles,
  withoutFiles,
} from "../../src/shared/import/attachments.ts";
import {
  type ApiRequest,
  type ApiClient as Importer,
  RequestRejectedError,
} from "../../src/shared/import/client.ts";
import { FolderTree, folderWriter } from "../../src/shared/import/folders.ts";
import { readImportedDocuments } from "../../src/shared/import/imported.ts";
import type { ImportItem } from "../../src/shared/import/item.ts";
import { withVaultTitles } from "../../src/shared/import/obsidian.ts";
import { planImport } from "../../src/shared/import/plan.ts";
import {
  type DocumentOperation,
  documentOperation,
  operationGroups,
  writeOperations,
} from "../../src/shared/import/write.ts";
import { openZip } from "../../src/shared/import/zip.ts";
import type { Client } from "./client.ts";

// The zip of Markdown, and its import as the app and the command line read and write it.

export async function markdownZip(
  client: Client,
  query = "",
): Promise<{ bytes: Uint8Array; name: string | null }> {
  const answer = await client.fetch(`/api/export/markdown${query}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("Content-Type")).toBe("application/zip");
  return {
    bytes: new Uint8Array(await answer.arrayBuffer()),
    name: answer.headers.get("Content-Disposition"),
  };
}

/** What the app reads of a zip, in its own folder. Throws for a file that it refuses or leaves out. */
export async function readByApp(bytes: Uint8Array): Promise<ImportItem[]> {
  const { found } = await openZip(new File([bytes as Uint8Array<ArrayBuffer>], "zip.zip"), () => {});
  const items = found.map((one) => {
    if (!("content" in one)) throw new Error(JSON.stringify(one));
    return one;
  });
  const isAdded = items.length > 0 && items.every(({ path }) => path.startsWith("zip/"));
  return items.map((item) => (isAdded ? { ...item, folders: item.folders.slice(1) } : item));
}

/** The importer's client, signed in as this person. */
export const importer = (client: Client): Importer => ({
  send: async <Body>({ method, path, body, raw, headers }: ApiRequest) => {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await client.fetch(path, {
      method,
      headers: {
        "Content-Type": "application/json",
        ...(content !== undefined && { "Content-Length": String(lengthOf(content)) }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new RequestRejectedError(answer.status, JSON.parse(text).detail);
    return (text === "" ? undefined : JSON.parse(text)) as Body;
  },
});

const lengthOf = (content: string | Uint8Array) =>
  typeof content === "string" ? new TextEncoder().encode(content).length : content.length;

type Found = Pick<Awaited<ReturnType<typeof openZip>>, "found" | "entries">;

/** Imports what was found in a zip as the app and the command line do, and says what happened to it. */
export async function importFound(client: Client, { found: all, entries }: Found) {
  const by = importer(client);
  const read = withNeededFiles(withVaultTitles(all), entries);
  const existingFiles = await readExistingFilesFor(by, read);
  const found = existingFiles ? read : withoutFiles(read);
  const account = { imported: await readImportedDocuments(by, () => {}), tree: await FolderTree.read(by) };
  const settings = { target: { folders: [], tags: [] }, mirror: false, source: "" };
  const plan = planImport(found, account, settings);
  const items = plan.steps.flatMap(({ kind, item }) => (kind === "skip" ? [] : [item]));
  const { ids, refused } = existingFiles
    ? await uploadItemFiles(by, items, { entries, existingFiles, onProgress: () => {} })
    : { ids: new Map<string, string>(), refused: [] };
  const writer = folderWriter(by, account.tree);
  const operations: DocumentOperation[] = [];
  for (const step of plan.steps) {
    const folder_id = await writer.ensure(step.item.folders);
    const operation = documentOperation(step, { folder_id, now: new Date(), ids });
    if (operation) operations.push(operation);
  }
  for (const group of operationGroups(operations)) await writeOperations(by, group);
  return {
    written: operations.length,
    notes: plan.steps.flatMap(({ item }) => item.notes),
    refused: [...plan.refused, ...refused].map(({ where, why }) => `${where}: ${why}`),
    leftOut: plan.leftOut.map(({ where }) => where),
  };
}

type Note = Pick<ImportItem, "title" | "tags" | "folders" | "content">;

/** The titles, tags, folders and contents of an account's documents, in an order that depends on them alone. */
export async function contentOf(client: Client): Promise<string[]> {
  const tree = await FolderTree.read(importer(client));
  const { items } = await client.ok(documents.listDocumentsRoute, { query: { limit: 100 } });
  const notes = items.map(async ({ id }) => {
    const document = await client.ok(documents.getDocumentRoute, { params: { document_id: id } });
    const { title, tags, content } = document;
    return JSON.stringify([title, tags, tree.pathOf(document.folder_id), content]);
  });
  return (await Promise.all(notes)).sort();
}

/** Creates documents in their folders, and returns what the account has then. */
export async function importedInto(client: Client, notes: Note[]): Promise<string[]> {
  const writer = folderWriter(importer(client), await FolderTree.read(importer(client)));
  for (const { folders, title, tags, content } of notes) {
    const folder_id = await writer.ensure(folders);
    await client.ok(documents.createDocumentRoute, { json: { title, tags, content, folder_id } });
  }
  return contentOf(client);
}
