import { ACCESS_SCOPES, type Access } from "../../src/contract/access.ts";
import { createApiKeyRoute } from "../../src/features/api-keys/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../src/features/folders/routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { type Client, person } from "./client.ts";
import { bearer } from "./oauth.ts";

// A person with secrets, and keys that may read only some of them.

export const ADA = "ada@example.com";
/** In every field of the document and the record that an attacker could want to read. */
export const DOC = "DOCSECRET";
export const MEM = "MEMSECRET";

export async function keyOf(owner: Client, scopes: readonly string[]): Promise<Client> {
  const { key } = await owner.ok(createApiKeyRoute, { json: { name: "Script", scopes } });
  return bearer(key);
}

/** A person with one folder, one document and one record, all of them full of secrets. */
export async function keeper() {
  const ada = await person({ email: ADA });
  const folder = await ada.ok(createFolderRoute, { json: { name: `${DOC} folder` } });
  const document = await ada.ok(documents.createDocumentRoute, {
    json: {
      title: `${DOC} title`,
      content: { format: "markdown", text: `# ${DOC} heading\n\n${DOC} text common` },
      tags: [DOC],
      folder_id: folder.id,
    },
  });
  const memory = await ada.ok(memories.createMemoryRoute, {
    json: {
      memory_type: "commitment",
      topic: `${MEM} topic common`,
      content: `${MEM} content`,
      project: `${MEM} project`,
      tags: [MEM],
      due_date: "2020-01-01",
    },
  });
  return { ada, folder, document, memory };
}

/** Every non-empty set of scopes. */
export const SUBSETS = Array.from({ length: 15 }, (_, n) =>
  ACCESS_SCOPES.filter((_, bit) => (n + 1) & (1 << bit)),
);

export const forbiddenTo = (scopes: readonly Access[]) => [
  ...(scopes.includes("docs:read") ? [] : [DOC]),
  ...(scopes.includes("memory:read") ? [] : [MEM]),
];
