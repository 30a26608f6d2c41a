import { documentResults } from "../../src/contract/search.ts";
import { createDocumentRoute } from "../../src/features/documents/routes.ts";
import { searchRoute } from "../../src/features/search/routes.ts";
import type { Client } from "./client.ts";
import { make } from "./records.ts";

type Query = Record<string, string | number | string[]>;

/** Creates a document with this text. */
export const write = (client: Client, title: string, text = "", rest: Record<string, unknown> = {}) =>
  client.ok(createDocumentRoute, { json: { title, content: { format: "markdown", text }, ...rest } });

/** Creates a record about this topic. */
export const remember = (client: Client, topic: string, rest: object = {}) =>
  make(client, { memory_type: "context", topic, content: "about it", ...rest });

export const search = (client: Client, q: string, query: Query = {}) =>
  client.ok(searchRoute, { query: { q, ...query } });

/** The titles of the documents that a query finds. */
export const find = async (client: Client, q: string, query: Query = {}) =>
  documentResults(await search(client, q, query)).map(({ title }) => title);

type Result = Awaited<ReturnType<typeof search>>["results"][number];

export const titleOf = (result: Result) => ("memory" in result ? result.memory.topic : result.document.title);

/** The titles and topics of the documents and records that a query finds, best first. */
export const findAll = async (client: Client, q: string, query: Query = {}) =>
  (await search(client, q, { type: "all", limit: 100, ...query })).results.map(titleOf);
