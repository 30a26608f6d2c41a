import { expect, test } from "vitest";
import { hasEmbeddedFile } from "../../src/platform/tools/secrets.ts";
import { findSecret } from "../../src/shared/text/secrets.ts";
import { person } from "../kit/client.ts";
import { stateless, use } from "../kit/mcp.ts";

const json = (body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(body),
});

test("a request may ask that secrets are refused, and is told which and where; otherwise they are stored", async () => {
  const ada = await person();
  const note = { title: "Router", content: { format: "markdown", text: "The wifi password is Sommer2026" } };
  const record = { memory_type: "context", topic: "Bank", content: "Card 4111 1111 1111 1111" };
  const refuse = { "Allow-Secret": "false" };
  const refused = await ada.fetch("/api/documents", json(note, refuse));
  expect([refused.status, refused.headers.get("Error-Code")]).toEqual([422, "secret"]);
  expect(await refused.text()).toContain("content.text: contains what looks like a password or key");
  const many = { operations: [{ operation: "update", id: 1, topic: "AKIAQ2WZQ2WZQ2WZQ2WZ" }] };
  const bulk = await ada.fetch("/api/memories/bulk", json(many, refuse));
  expect(await bulk.text()).toContain("operations.0.topic: contains what looks like an AWS access key");
  expect((await ada.fetch("/api/memories", json(record, refuse))).status).toBe(422);
  expect((await ada.fetch("/api/memories", json({ ...record, content: "None" }, refuse))).status).toBe(201);
  expect((await ada.fetch("/api/memories", json(record, { "Allow-Secret": "perhaps" }))).status).toBe(422);
  for (const headers of [{}, { "Allow-Secret": "true" }] as Record<string, string>[]) {
    expect((await ada.fetch("/api/documents", json(note, headers))).status).toBe(201);
    expect((await ada.fetch("/api/memories", json(record, headers))).status).toBe(201);
  }
});

test("a secret is found with its place, so that it can be taken out", () => {
  const cut = (text: string) => {
    const { at, length } = findSecret(text) ?? { at: 0, length: 0 };
    return text.slice(at, at + length);
  };
  expect(cut("The wifi password is Sommer2026, upstairs")).toBe("Sommer2026,");
  expect(cut("My PIN is 4821")).toBe("4821");
  expect(cut("Visa 4111 1111 1111 1111, 12/29")).toBe("4111 1111 1111 1111");
  expect(cut(`key ghp_${"aB3d".repeat(9)} of the bot`)).toBe(`ghp_${"aB3d".repeat(9)}`);
  expect(cut("nothing of the kind")).toBe("");
});

const PNG = `iVBORw0KGgo${"AAAANSUhEUgAAAAUA".repeat(20)}`;

test("a picture as letters is not stored by a tool, and the text says what to do instead", async () => {
  const client = stateless(await person());
  const said = "a picture or another file as base64";
  const refusal = async (name: string, args: Record<string, unknown>) =>
    JSON.stringify(await use(client, name, args));
  const jpeg = `# Scan\n\n/9j/4AAQ${"SkZJRgABAQ".repeat(30)}==`;
  for (const text of [`![](data:image/png;base64,${PNG})`, PNG, jpeg]) {
    const document = { title: "Photo", text };
    const record = { memory_type: "context", topic: "Photo", content: text };
    for (const [tool, args] of [
      ["create_document", document],
      ["create_document", { documents: [document] }],
      ["remember", record],
      ["remember", { records: [record] }],
    ] as const)
      expect(await refusal(tool, args)).toContain(said);
  }
  const text = "Data URLs begin with data:image/png;base64,iVBORw0KGgo";
  const { id } = await use(client, "create_document", { title: "Plan", text });
  expect(await refusal("edit_document", { id, operation: "append", text: PNG })).toContain(said);
  const { total } = await use(client, "list_documents");
  expect(total).toBe(1);
});

test("ordinary texts are no files", () => {
  const [hash, url] = [
    "3f2504e04f8911d39a0c0305e82c3301".repeat(20),
    `https://example.org/${"a".repeat(300)}`,
  ];
  for (const text of [hash, "/9j/ is how JPEG begins", url, "word ".repeat(999)])
    expect(hasEmbeddedFile(text), text.slice(0, 40)).toBe(false);
});
