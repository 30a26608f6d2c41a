import { describe, expect, test } from "vitest";
import { type Client, person, visitor } from "../../kit/client.ts";
import { type Offered, OPERATIONS } from "../../kit/description.ts";
import { exampleOf, isPublic, media } from "../../kit/examples.ts";
import { type Belongings, belongings, EXAMPLE_EMAIL } from "../../kit/named.ts";

// A request built from the description's own examples is never refused.

/** Sends an example twice: with required parameters, and with all of them. Neither may be refused. */
async function sendBoth(offered: Offered, ada: Client, things: () => Belongings) {
  const client = isPublic(offered) ? visitor() : ada;
  for (const all of [false, true]) {
    const answer = await client.call(offered.route, await exampleOf(offered, things(), all));
    expect(answer.status, `${offered.operation.operationId}: ${answer.text}`).toBeLessThan(400);
    if (!offered.operation.parameters?.some(({ required }) => !required)) return;
  }
}

const [signIn, others] = [true, false].map((is) =>
  OPERATIONS.filter(({ operation }) => operation.tags?.includes("Sign-in") === is),
);

describe("the example is accepted of", () => {
  test("every operation that reads", async () => {
    const ada = await person({ email: EXAMPLE_EMAIL });
    const own = belongings(ada);
    const reading = OPERATIONS.filter(({ method }) => method === "GET");
    expect(reading.length).toBeGreaterThan(25);
    for (const offered of reading) await sendBoth(offered, ada, () => own);
  });

  test("every operation that writes", async () => {
    const ada = await person({ email: EXAMPLE_EMAIL });
    const writing = others?.filter(({ method }) => method !== "GET") ?? [];
    expect(writing.length).toBeGreaterThan(25);
    for (const offered of writing) await sendBoth(offered, ada, () => belongings(ada));
  });

  // These end sessions, change the password or erase the account, so each has its own deployment.
  test.each(
    signIn
      ?.filter(({ method }) => method !== "GET")
      .map((one) => [one.operation.operationId, one] as const) ?? [],
  )("%s", async (name, offered) => {
    const ada = name === "register" ? visitor() : await person({ email: EXAMPLE_EMAIL });
    const answer = await (isPublic(offered) ? visitor() : ada).call(
      offered.route,
      await exampleOf(offered, belongings(ada), true),
    );
    expect(answer.status, answer.text).toBeLessThan(300);
  });
});

test("every parameter and every request has an example", () => {
  for (const offered of OPERATIONS) {
    const { operationId, parameters = [] } = offered.operation;
    const [, body = { example: "none" }] = media(offered) ?? [];
    for (const { name, example } of [...parameters, { name: "body", ...body }])
      expect(example, `${operationId} ${name}`).toBeDefined();
  }
});

test("an example that must be in the future is far ahead, so that it does not expire", () => {
  const days = OPERATIONS.map((offered) => JSON.stringify(media(offered)?.[1].example ?? {})).flatMap(
    (body) => [...body.matchAll(/"(?:expires_at|deferred_until)":"(\d{4})/g)].map(([, year]) => Number(year)),
  );
  expect(days.length).toBeGreaterThan(1);
  for (const year of days) expect(year).toBeGreaterThan(2090);
});
