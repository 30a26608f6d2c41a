import { z } from "@hono/zod-openapi";
import { Cursor, NextCursor, Page, RequestQuery, Timestamp } from "./fields.ts";

export const ConnectionId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be the id of a connection")
  .meta({ example: "Qp3vK0bTz7RkXw2c" });

export const Connection = z
  .strictObject({
    id: ConnectionId,
    client_name: z.string().meta({ description: "The client's name for itself", example: "Claude" }),
    client_domain: z.string().nullable().meta({ description: "Its domain, if verified" }),
    redirect_host: z.string().meta({ description: "Where access was granted to", example: "claude.ai" }),
    scopes: z.array(z.string()),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().meta({ description: "To the hour; null until its first call" }),
    expires_at: Timestamp.nullable().meta({ description: "Extended by every use of the refresh token" }),
  })
  .meta({ id: "Connection" });
export type Connection = z.infer<typeof Connection>;

export const ConnectionList = z
  .strictObject({
    items: z.array(Connection),
    total: z.int(),
    next_cursor: NextCursor,
    mcp_url: z.url().meta({ description: "The address to give to a client that is to be connected" }),
  })
  .meta({ id: "ConnectionList" });

export const ConnectionListQuery = RequestQuery({ ...Page, cursor: Cursor });
export type ConnectionListQuery = z.infer<typeof ConnectionListQuery>;
export const ConnectionParams = z.object({ connection_id: ConnectionId });
