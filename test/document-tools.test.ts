import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { getMeRoute } from "../src/auth/routes.ts";
import { type Ctx, ctxFor } from "../src/core/ctx.ts";
import { readInput, type Tool } from "../src/core/tool.ts";
import { openDatabase } from "../src/db/call.ts";
import { openSession } from "../src/db/session.ts";
import * as documents from "../src/documents/routes.ts";
import * as tools from "../src/documents/tools.ts";
import { type Client, person } from "./kit/client.ts";

/** The context of a connection of this person. */
async function ctxOf(client: Client): Promise<Ctx> {
  const me = await client.ok(getMeRoute);
  const row = await env.DB.prepare("SELECT number FROM users WHERE id = ?")
    .bind(me.id)
    .first<{ number: number }>();
  const user = { ...me, number: row?.number ?? 0 };
  const base = { db: openDatabase(openSession(env.DB)), now: new Date() };
  return { ...ctxFor(base, user), client_name: "Claude" };
}

/** Calls a tool as a client does: the input is parsed leniently, the output validated. */
async function use(ctx: Ctx, tool: unknown, input: Record<string, unknown>) {
  const { run, output, ...rest } = tool as Tool;
  const result = await run(ctx, readInput(rest, input));
  return output.parse(result) as Record<string, unknown>;
}

test("an assistant keeps a document: creates, lists, edits and deletes it", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  const made = await use(ctx, tools.createDocumentTool, {
    title: "Plan",
    text: "# A\n\nold\n",
    tags: "x, y",
  });
  expect(made).toMatchObject({ title: "Plan", tags: ["x", "y"], version: 1 });
  expect(made).not.toHaveProperty("folder_id");
  const { id } = made;
  const listed = await use(ctx, tools.listDocumentsTool, { tags: "x", limit: "1" });
  expect(listed).toMatchObject({ total: 1, has_more: false, documents: [{ id }] });

  const edit = { id, operation: "replace_section", heading: "A", new_text: "new", expected_version: 1 };
  expect(await use(ctx, tools.editDocumentTool, edit)).toMatchObject({ version: 2 });
  await expect(use(ctx, tools.editDocumentTool, edit)).rejects.toThrow(/fetch it again/);
  const fields = { id, operation: "set_fields", title: "Plan B" };
  expect(await use(ctx, tools.editDocumentTool, fields)).toMatchObject({ title: "Plan B", version: 3 });
  await expect(use(ctx, tools.editDocumentTool, fields)).rejects.toThrow(/changes nothing/);
  await expect(use(ctx, tools.editDocumentTool, { id, operation: "append" })).rejects.toThrow(/text/);

  const params = { document_id: String(id) };
  expect(await ada.ok(documents.getDocumentRoute, { params })).toMatchObject({
    source_type: "mcp",
    content: { format: "markdown", text: "# A\n\nnew\n" },
  });
  const versions = await ada.ok(documents.listVersionsRoute, { params });
  expect(versions.items).toMatchObject([
    { source_type: "mcp", client_name: "Claude" },
    { source_type: "mcp", client_name: "Claude" },
  ]);

  expect(await use(ctx, tools.deleteDocumentTool, { document_id: id })).toEqual({ id, trashed: true });
  await expect(use(ctx, tools.deleteDocumentTool, { id })).rejects.toThrow(/list_documents/);
  const bob = await ctxOf(await person());
  await expect(use(bob, tools.editDocumentTool, fields)).rejects.toThrow(/list_documents/);
});

test("an id is accepted in every form that answers contain", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  const { id } = await use(ctx, tools.createDocumentTool, { title: "Plan", text: "x" });
  for (const name of [`doc:${id}`, `doc://${id}`, `https://commonplace.test/open/doc/${id}`, `doc:${id}#2`]) {
    const edited = await use(ctx, tools.editDocumentTool, { id: name, operation: "append", text: "y" });
    expect(edited.id, name).toBe(id);
  }
  await expect(use(ctx, tools.deleteDocumentTool, { id: `doc:${id}0` })).rejects.toThrow(
    "id: must be a UUID",
  );
  expect(await use(ctx, tools.deleteDocumentTool, { id: `doc:${id}` })).toEqual({ id, trashed: true });
});
