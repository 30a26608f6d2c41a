import { randomUUID } from "node:crypto";
import type autocannon from "autocannon";
import { LEGACY, MODERN, sessionRequest, statelessRequest } from "./mcp.ts";
import { bodyOf, recordOf, type Subject } from "./subject.ts";
import { makeQuery } from "./texts.ts";

/** A kind of request to measure: one row of the table. */
export type Row = {
  name: string;
  request: (subject: Subject) => autocannon.Request;
  port?: "mcp";
  /** Each request uses up an item that was created for it. */
  usesUp?: true;
};

type Method = "GET" | "POST" | "PUT" | "DELETE";

const someSession = ({ mcp }: Subject, turn: number): string =>
  mcp.sessions[turn % mcp.sessions.length] ?? "";

/** Steps through the documents in a different order than any list. */
const someDocument = (subject: Subject): string => {
  const { documents } = subject.keeper;
  return documents[(subject.turn++ * 7919) % documents.length] ?? "";
};

const read = (name: string, path: (subject: Subject) => string): Row => ({
  name,
  request: (subject) => ({ method: "GET", path: path(subject), headers: subject.keeper.headers }),
});

/** A body that no existing document has. */
const newBody = (subject: Subject) => bodyOf(1e5 + subject.turn++);

const change = (
  name: string,
  method: Method,
  send: (subject: Subject) => { path: string; body: string },
): Row => ({
  name,
  request: (subject) => ({ method, headers: subject.keeper.headers, ...send(subject) }),
});

const create = (
  name: string,
  send: (subject: Subject) => { path: string; body: string; headers?: Record<string, string> },
): Row => ({
  name,
  request: (subject) => {
    const { headers, ...rest } = send(subject);
    return { method: "POST", headers: { ...subject.writer.headers, ...headers }, ...rest };
  },
});

const CREATE = "create";

/** Rows with a goal: how many times as fast as the older commit they must be at least. */
export const GOALS = { get: 1.5, list: 1.5, [CREATE]: 1.5 };

export const ROWS: Row[] = [
  read("health", () => "/health"),
  read("get", (subject) => `/api/documents/${someDocument(subject)}`),
  read("list", () => "/api/documents"),
  read("tags", () => "/api/tags"),
  read("folders", () => "/api/folders"),
  create(CREATE, (subject) => ({ path: "/api/documents", body: newBody(subject) })),
  create("create, Idempotency-Key", (subject) => ({
    path: "/api/documents",
    body: newBody(subject),
    headers: { "Idempotency-Key": randomUUID() },
  })),
  change("update", "PUT", (subject) => ({
    path: `/api/documents/${someDocument(subject)}`,
    body: newBody(subject),
  })),
  change("edit", "POST", (subject) => ({
    path: `/api/documents/${someDocument(subject)}/edit`,
    body: JSON.stringify({ operation: "append", text: `Line ${subject.turn}` }),
  })),
  {
    name: "delete",
    usesUp: true,
    request: ({ writer }) => ({
      method: "DELETE",
      path: `/api/documents/${writer.documents.take()}`,
      headers: writer.headers,
    }),
  },
  read("search", (subject) => `/api/search?q=${encodeURIComponent(makeQuery(subject.turn++))}`),
  read("commitments", () => "/api/dashboard/commitments?limit=20"),
  read("alerts", () => "/api/dashboard/alerts"),
  read("history", () => "/api/dashboard/commitment-history"),
  read("summary", () => "/api/dashboard/summary"),
  create("memory: create", (subject) => ({ path: "/api/memories", body: recordOf(subject.turn++) })),
  {
    name: "memory: resolve",
    usesUp: true,
    request: ({ writer }) => ({
      method: "POST",
      path: `/api/memories/${writer.records.take()}/resolve`,
      headers: writer.headers,
      body: "{}",
    }),
  },
  {
    name: `list_memories, MCP ${MODERN}`,
    port: "mcp",
    request: ({ mcp }) => statelessRequest(mcp.token),
  },
  {
    name: `list_memories, MCP ${LEGACY}`,
    port: "mcp",
    request: (subject) => sessionRequest(subject.mcp.token, someSession(subject, subject.turn++)),
  },
  {
    name: `remember, MCP ${LEGACY}`,
    port: "mcp",
    request: (subject) => {
      const turn = subject.turn++;
      const call = { name: "remember", arguments: JSON.parse(recordOf(turn)) as object };
      return sessionRequest(subject.mcp.token, someSession(subject, turn), call);
    },
  },
];
