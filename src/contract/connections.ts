import { z } from "@hono/zod-openapi";
import { Cursor, ItemList, NextCursor, PageParams, RequestQuery, Timestamp } from "./fields.ts";

export const ConnectionId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be the id of a connection")
  .meta({ example: "Qp3vK0bTz7RkXw2c" });

export const Connection = z
  .strictObject({
    id: ConnectionId,
    client_name: z.string().meta({ description: "The name the client gives itself", example: "Claude" }),
    client_domain: z.string().nullable().meta({ description: "The client's domain, if verified" }),
    redirect_host: z.string().meta({ description: "The host that was granted access", example: "claude.ai" }),
    scopes: z.array(z.string()),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().meta({
      description: "Accurate to the hour; null until the first call",
    }),
    expires_at: Timestamp.nullable().meta({ description: "Extended whenever the refresh token is used" }),
  })
  .meta({ id: "Connection" });
export type Connection = z.infer<typeof Connection>;

export const ConnectionList = ItemList("ConnectionList", Connection, {
  next_cursor: NextCursor,
  mcp_url: z.url().meta({ description: "The URL to enter in a client to connect it" }),
});

export const ConnectionListQuery = RequestQuery({ ...PageParams, cursor: Cursor });
export const ConnectionParams = z.object({ connection_id: ConnectionId });
