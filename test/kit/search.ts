import { documentResults } from "../../src/contract/search.ts";
import { createDocumentRoute } from "../../src/features/documents/routes.ts";
import { searchRoute } from "../../src/features/search/routes.ts";
import type { Client } from "./client.ts";

/** Creates a document with this text. */
export const write = (client: Client, title: string, text = "", rest: Record<string, unknown> = {}) =>
  client.ok(createDocumentRoute, { json: { title, content: { format: "markdown", text }, ...rest } });

export const search = (client: Client, q: string, query: Record<string, string | number | string[]> = {}) =>
  client.ok(searchRoute, { query: { q, ...query } });

/** The titles of the documents that a query finds. */
export const find = async (client: Client, q: string, query = {}) =>
  documentResults(await search(client, q, query)).map(({ title }) => title);
