import { z } from "@hono/zod-openapi";
import { ACTIVITY_VERBS, ACTOR_KINDS, SILENT_VERBS } from "./activity-words.ts";
import { JsonObject, Timestamp, Uuid } from "./fields.ts";
import { Day, MemoryType, Scope } from "./memory.ts";
import { TimeOfDay } from "./memory-fields.ts";
import {
  WEBHOOK_EVENT_NAMES,
  WEBHOOK_EVENTS,
  WEBHOOK_TEST_EVENT,
  type WebhookEvent,
} from "./webhook-events.ts";

const changeFields = {
  version: z.int().nullable().meta({ description: "Version after the change; null once it is erased" }),
  verb: z
    .enum([...ACTIVITY_VERBS, ...SILENT_VERBS])
    .meta({ description: "What was done, as in the activity. `changed` and `moved` are both updates" }),
  by: z
    .strictObject({
      actor: z.enum(ACTOR_KINDS).meta({ description: "The kind of caller that did it" }),
      client_name: z.string().nullable(),
    })
    .meta({ description: "Who did it" }),
};

const CONTENT_DESCRIPTION =
  "Only with `include_content`: the content when the message is sent; null if it no longer exists or exceeds 256 KiB";
const optionalContent = (schema: z.ZodType) =>
  schema.nullable().optional().meta({ description: CONTENT_DESCRIPTION });

const CHANGE_EXAMPLE = { version: 4, verb: "changed", by: { actor: "assistant", client_name: "Claude" } };

const DocumentData = z
  .strictObject({
    document_id: Uuid,
    title: z.string().nullable().meta({ description: "Title; null once it is erased" }),
    ...changeFields,
    content: optionalContent(JsonObject),
  })
  .meta({
    id: "WebhookDocumentData",
    example: {
      document_id: "01936b1e-7e0c-7cc3-9c1d-2f5a4b6c7d8e",
      title: "Packing list",
      ...CHANGE_EXAMPLE,
    },
  });

const memoryFields = {
  memory_id: z.int(),
  topic: z.string().nullable().meta({ description: "Topic; null once it is erased" }),
};

const MemoryData = z
  .strictObject({ ...memoryFields, ...changeFields, content: optionalContent(z.string()) })
  .meta({
    id: "WebhookMemoryData",
    example: { memory_id: 12, topic: "Send Grace the slides", ...CHANGE_EXAMPLE },
  });

const DueData = z
  .strictObject({
    ...memoryFields,
    memory_type: z.literal("commitment"),
    project: z.string().nullable(),
    scope: Scope.nullable(),
    due_date: Day,
    content: optionalContent(z.string()),
  })
  .meta({
    id: "WebhookDueData",
    example: {
      memory_id: 12,
      topic: "Send Grace the slides",
      memory_type: "commitment",
      project: "Apollo",
      scope: "work",
      due_date: "2026-11-24",
    },
  });

const ReminderData = z
  .strictObject({
    ...memoryFields,
    memory_type: MemoryType,
    project: z.string().nullable(),
    scope: Scope.nullable(),
    due_date: Day.nullable(),
    due_time: TimeOfDay.nullable(),
    remind_at: Timestamp.meta({ description: "When the reminder is due" }),
    content: optionalContent(z.string()),
  })
  .meta({
    id: "WebhookReminderData",
    example: {
      memory_id: 12,
      topic: "Call Ada",
      memory_type: "commitment",
      project: null,
      scope: "work",
      due_date: "2026-12-01",
      due_time: "17:00",
      remind_at: "2026-12-01T16:30:00.000Z",
    },
  });

const TestData = z
  .strictObject({ name: z.string().meta({ description: "Name of the webhook" }) })
  .meta({ id: "WebhookTestData", example: { name: "Automation" } });

const messageSchema = (type: string, data: z.ZodType) =>
  z.strictObject({
    type: z.literal(type).meta({ description: "What happened" }),
    timestamp: Timestamp.meta({ description: "When it happened" }),
    data,
  });

const DATA_SCHEMAS: Record<string, z.ZodType> = {
  document: DocumentData,
  memory: MemoryData,
  commitment: DueData,
  "commitment.reminder": ReminderData,
};

const eventMessageSchema = (event: WebhookEvent) =>
  messageSchema(event, DATA_SCHEMAS[event] ?? DATA_SCHEMAS[event.split(".")[0] ?? ""] ?? z.never());

export const WEBHOOK_MESSAGES = [
  ...WEBHOOK_EVENT_NAMES.map((event) => ({
    event: event as string,
    summary: WEBHOOK_EVENTS[event],
    body: eventMessageSchema(event),
  })),
  {
    event: WEBHOOK_TEST_EVENT,
    summary: "A test requested by the user. Sent regardless of the webhook's events",
    body: messageSchema(WEBHOOK_TEST_EVENT, TestData),
  },
];

export const MessageHeaders = z.object({
  "webhook-id": Uuid.meta({
    description: "Id of the delivery, the same in every attempt. Handle each id once",
  }),
  "webhook-timestamp": z
    .string()
    .meta({ description: "When this attempt was made, in seconds since 1970", example: "1798761600" }),
  "webhook-signature": z.string().meta({
    description:
      "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` with the webhook's secret. While a secret is being " +
      "replaced, there are several, separated by spaces",
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  }),
});
