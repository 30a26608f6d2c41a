import { askWith } from "./ask.ts";

const AT_ONCE = 100;

export type Text = { title: string; text: string; tags?: string[] };

/** Creates many documents, in as few requests as the API allows. */
export async function createDocuments(apiUrl: string, token: string, texts: readonly Text[]): Promise<void> {
  const operations = texts.map(({ title, text, tags = [] }) => ({
    ...{ operation: "create", title, tags, content: { format: "markdown", text } },
  }));
  for (let start = 0; start < operations.length; start += AT_ONCE)
    await askWith(apiUrl, token)("POST", "/api/documents/bulk", {
      operations: operations.slice(start, start + AT_ONCE),
    });
}
