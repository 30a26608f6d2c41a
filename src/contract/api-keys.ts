import { z } from "@hono/zod-openapi";
import { KEY_SCOPES } from "./access.ts";
import { Instant, ItemList, Name, PageParams, RequestQuery, SomeOf, Timestamp, Uuid } from "./fields.ts";

const Scope = z.enum(KEY_SCOPES);

const Scopes = SomeOf(KEY_SCOPES).openapi({
  description:
    "What the key may do. `briefing:read` allows only `GET /api/briefing`, which `memory:read` also allows",
  example: ["docs:read", "memory:read"],
});

export const ApiKeyCreateRequest = z
  .strictObject({
    name: Name(200).meta({ example: "Backup script" }),
    scopes: Scopes,
    expires_at: Instant.openapi({ example: "2099-12-31T00:00:00Z" })
      .nullable()
      .optional()
      .openapi({ description: "Must be in the future. Without it the key is valid until it is revoked" }),
  })
  .meta({ id: "ApiKeyCreateRequest" });
export type ApiKeyCreateRequest = z.infer<typeof ApiKeyCreateRequest>;

const apiKeyFields = {
  id: Uuid,
  name: z.string(),
  hint: z.string().meta({ description: "The first characters of the key", example: "cpk_1.42.h3Jx" }),
  scopes: z.array(Scope),
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable().meta({
    description:
      "Accurate to the hour; null until the first use. A read with `X-D1-Bookmark` does not update it",
  }),
};

export const ApiKey = z.strictObject(apiKeyFields).meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

export const NewApiKey = z
  .strictObject({ ...apiKeyFields, key: z.string().meta({ description: "The API key. Shown only once" }) })
  .meta({ id: "NewApiKey" });
export type NewApiKey = z.infer<typeof NewApiKey>;

export const ApiKeyList = ItemList("ApiKeyList", ApiKey);
export type ApiKeyList = z.infer<typeof ApiKeyList>;

export const ApiKeyListQuery = RequestQuery(PageParams);
export const ApiKeyParams = z.object({ api_key_id: Uuid });
