import { z } from "@hono/zod-openapi";
import { JsonObject, Timestamp, Uuid } from "./fields.ts";
import { ACTORS, SILENT, VERBS } from "./ledger-words.ts";
import { Day, MemoryType, Scope } from "./memory.ts";
import { TimeOfDay } from "./memory-fields.ts";
import { EVENT_NAMES, EVENTS, TEST_EVENT, type WebhookEvent } from "./webhook-events.ts";

const change = {
  version: z.int().nullable().meta({ description: "Its version after the change; null once it is erased" }),
  verb: z
    .enum([...VERBS, ...SILENT])
    .meta({ description: "What was done, as in the activity: `changed` and `moved` are both an update" }),
  by: z
    .strictObject({
      actor: z.enum(ACTORS).meta({ description: "What kind of caller did it" }),
      client_name: z.string().nullable(),
    })
    .meta({ description: "Who did it" }),
};

const CONTENT =
  "Only with `include_content`: as it is when the message is sent; null if it is gone, or larger than 256 KiB";
const contentOf = (schema: z.ZodType) => schema.nullable().optional().meta({ description: CONTENT });

const CHANGED = { version: 4, verb: "changed", by: { actor: "assistant", client_name: "Claude" } };

const DocumentData = z
  .strictObject({
    document_id: Uuid,
    title: z.string().nullable().meta({ description: "Its title; null once it is erased" }),
    ...change,
    content: contentOf(JsonObject),
  })
  .meta({
    id: "WebhookDocumentData",
    example: { document_id: "01936b1e-7e0c-7cc3-9c1d-2f5a4b6c7d8e", title: "Packing list", ...CHANGED },
  });

const record = {
  memory_id: z.int(),
  topic: z.string().nullable().meta({ description: "What it is about; null once it is erased" }),
};

const MemoryData = z.strictObject({ ...record, ...change, content: contentOf(z.string()) }).meta({
  id: "WebhookMemoryData",
  example: { memory_id: 12, topic: "Send Grace the slides", ...CHANGED },
});

const DueData = z
  .strictObject({
    ...record,
    memory_type: z.literal("commitment"),
    project: z.string().nullable(),
    scope: Scope.nullable(),
    due_date: Day,
    content: contentOf(z.string()),
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
    ...record,
    memory_type: MemoryType,
    project: z.string().nullable(),
    scope: Scope.nullable(),
    due_date: Day.nullable(),
    due_time: TimeOfDay.nullable(),
    remind_at: Timestamp.meta({ description: "For when the reminder was asked" }),
    content: contentOf(z.string()),
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
  .strictObject({ name: z.string().meta({ description: "The name of the webhook" }) })
  .meta({ id: "WebhookTestData", example: { name: "Automation" } });

const messageOf = (type: string, data: z.ZodType) =>
  z.strictObject({
    type: z.literal(type).meta({ description: "What happened" }),
    timestamp: Timestamp.meta({ description: "When it happened" }),
    data,
  });

const DATA: Record<string, z.ZodType> = {
  document: DocumentData,
  memory: MemoryData,
  commitment: DueData,
  "commitment.reminder": ReminderData,
};

const schemaOf = (event: WebhookEvent) =>
  messageOf(event, DATA[event] ?? DATA[event.split(".")[0] ?? ""] ?? z.never());

export const MESSAGES = [
  ...EVENT_NAMES.map((event) => ({ event: event as string, summary: EVENTS[event], body: schemaOf(event) })),
  {
    event: TEST_EVENT,
    summary: "A test that was asked for, sent whatever the webhook's events are",
    body: messageOf(TEST_EVENT, TestData),
  },
];

export const MessageHeaders = z.object({
  "webhook-id": Uuid.meta({
    description: "The delivery's id, the same in every attempt: handle each id once",
  }),
  "webhook-timestamp": z
    .string()
    .meta({ description: "When this attempt was made, in seconds since 1970", example: "1798761600" }),
  "webhook-signature": z.string().meta({
    description:
      "`v1,` and the HMAC-SHA256, in base64, of `id.timestamp.body` under the webhook's secret; several, separated " +
      "by spaces, while a secret is being replaced",
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  }),
});
