const AT_ONCE = 100;

export type Text = { title: string; text: string; tags?: string[] };

/** Creates many documents, in as few requests as the API allows. */
export async function createDocuments(apiUrl: string, token: string, texts: readonly Text[]): Promise<void> {
  const operations = texts.map(({ title, text, tags = [] }) => ({
    operation: "create",
    title,
    tags,
    content: { format: "markdown", text },
  }));
  for (let start = 0; start < operations.length; start += AT_ONCE) {
    const answer = await fetch(`${apiUrl}/api/documents/bulk`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ operations: operations.slice(start, start + AT_ONCE) }),
    });
    if (!answer.ok) throw new Error(`bulk: ${answer.status} ${await answer.text()}`);
  }
}
