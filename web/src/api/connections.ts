import type * as connections from "../../../src/contract/connections.ts";
import { type Answer, get, type Query, remove } from "./client.ts";

export type Connection = connections.Connection;

export const connectionsApi = {
  list: (query: Query<typeof connections.ConnectionListQuery> = {}) =>
    get<Answer<typeof connections.ConnectionList>>("/api/connections", query),
  end: (id: string) => remove(`/api/connections/${id}`),
};
