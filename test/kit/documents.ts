import * as documents from "../../src/features/documents/routes.ts";
import type { Client, Parts } from "./client.ts";

// A document, as programs write, read and change it.

export const prose = (text: string) => ({ format: "markdown", text });

export const at = ({ id }: { id: string }) => ({ params: { document_id: id } });

export const create = (client: Client, fields: object = {}, headers: Parts["headers"] = {}) =>
  client.ok(documents.createDocumentRoute, { json: { title: "Plan", ...fields }, headers });

export const read = (client: Client, one: { id: string }) => client.ok(documents.getDocumentRoute, at(one));

export const update = (client: Client, one: { id: string }, json: object, headers: Parts["headers"] = {}) =>
  client.ok(documents.updateDocumentRoute, { ...at(one), json, headers });

export const remove = (client: Client, one: { id: string }, query: Parts["query"] = {}) =>
  client.ok(documents.deleteDocumentRoute, { ...at(one), query });

export const bulk = (client: Client, operations: unknown[], more: object = {}) =>
  client.ok(documents.bulkDocumentsRoute, { json: { operations, ...more } });

export const textOf = async (client: Client, one: { id: string }) => (await read(client, one)).content?.text;

/** The numbers of a document's earlier versions, the newest first. */
export const versionsOf = async (client: Client, one: { id: string }) =>
  (await client.ok(documents.listVersionsRoute, { ...at(one), query: { limit: 100 } })).items.map(
    ({ version }) => version,
  );

export const titlesOf = async (client: Client, query: Parts["query"] = {}) =>
  (await client.ok(documents.listDocumentsRoute, { query })).items.map(({ title }) => title);
