import { expect, test } from "vitest";
import { listActivityRoute } from "../../src/features/activity/routes.ts";
import { person } from "../kit/client.ts";
import { OPERATIONS } from "../kit/description.ts";
import { exampleOf } from "../kit/examples.ts";
import { belongings, EXAMPLE_EMAIL } from "../kit/named.ts";

// A request that is repeated with its key takes effect once, in every operation that takes one.

const KEYED = OPERATIONS.filter(({ operation: { parameters = [] } }) =>
  parameters.some(({ name }) => name === "idempotency-key"),
);

/** Their answers contain the current progress of the work. */
const GOING_ON = ["importAccount", "testWebhook", "replayDelivery"];

test.for(KEYED.map((one) => [one.operation.operationId, one] as const))(
  "%s: a repeated key answers as before and takes effect once",
  async ([, offered]) => {
    const ada = await person({ email: EXAMPLE_EMAIL });
    const parts = await exampleOf(offered, belongings(ada), false);
    const headers = { ...parts.headers, "Idempotency-Key": "k" };
    const send = () => ada.call(offered.route, { ...parts, headers });
    const shown = ({ status, text, headers }: Awaited<ReturnType<typeof send>>) =>
      GOING_ON.includes(offered.operation.operationId)
        ? (JSON.parse(text) as { id: string }).id
        : [status, text, ...["ETag", "Location", "Change-Id"].map((name) => headers.get(name))];
    const answers = await Promise.all(Array.from({ length: 4 }, send));
    const first = answers.find(({ status }) => status < 400);
    expect(first, answers[0]?.text).toBeDefined();
    const { items } = await ada.ok(listActivityRoute, { query: { limit: 100 } });
    for (const answer of [...answers, await send()]) {
      // A request that arrives in the meantime waits, or gets a 409.
      if (answer.status === 409) expect(answer.text).toContain("is still running");
      else expect(shown(answer)).toEqual(shown(first as never));
    }
    expect((await ada.ok(listActivityRoute, { query: { limit: 100 } })).items).toEqual(items);
  },
);
