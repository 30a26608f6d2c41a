import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Client, person, visitor } from "../kit/client.ts";
import { type Offered, OPERATIONS, type Parameter, partsOf, type Values } from "../kit/description.ts";
import { broken, valid } from "../kit/from-schema.ts";
import { type Belongings, belongings, EXAMPLE_EMAIL, withOwn } from "../kit/named.ts";

// Valid and invalid requests generated from the description. The client rejects undeclared statuses and answers that do
// not match their schema; a 5xx is declared everywhere but is a bug here. FUZZ_RUNS is the number of requests for each
// operation. By default the same few are sent on every run; setting FUZZ_RUNS generates new ones.

const RUNS = Number(env.FUZZ_RUNS || 5);

/**
 * Requests that end the session or account that others need, or of which an account has room for few, are sent by a new
 * user.
 */
const FINAL = [
  ...["createApiKey", "createWebhook", "deleteMe", "changePassword", "confirmSecondFactor", "logoutAll"],
  ...["removeSecondFactor", "renewRecoveryCodes", "revokeSession"],
];

/** A right code would end the session of the person that others need, or ask for one at each of their sign-ins. */
const WITHOUT_CODE = [
  ...["confirmPasswordReset", "confirmEmailChange", "undoEmailChange"],
  ...["login", "confirmSecondFactor", "removeSecondFactor", "renewRecoveryCodes"],
  ...["passkeyOptions", "changeEmail", "changePassword", "deleteMe"],
];

/** Valid values: the person's own resources where possible, and optional values one time in three. */
function fitting({ name, required, schema }: Parameter, own: unknown): fc.Arbitrary<[string, unknown]> {
  const mine = own === undefined ? valid(schema) : fc.constant(own);
  const values = [mine, mine, mine, valid(schema)];
  if (!required) values.push(...Array.from({ length: 8 }, () => fc.constant(undefined)));
  return fc.oneof(...values).map((value) => [name, value]);
}

/** Requests that are entirely valid, and requests with one invalid value. */
function draw({ operation }: Offered, own: Record<string, unknown>): fc.Arbitrary<Values> {
  const [media] = Object.values(operation.requestBody?.content ?? {});
  const parameters = operation.parameters ?? [];
  const fit = {
    parameters: fc.tuple(...parameters.map((one) => fitting(one, own[one.name]))),
    body: media ? fc.oneof(valid(media.schema), fc.constant(media.example)) : fc.constant(undefined),
  };
  const requests = [fc.record(fit)];
  for (const [index, { name, schema }] of parameters.entries()) {
    const spoil = ([values, value]: [[string, unknown][], unknown]): [string, unknown][] =>
      values.with(index, [name, value]);
    requests.push(fc.record({ ...fit, parameters: fc.tuple(fit.parameters, broken(schema)).map(spoil) }));
  }
  if (media) requests.push(fc.record({ ...fit, body: broken(media.schema) }));
  return fc.oneof(fc.record(fit), fc.oneof(...requests));
}

async function ownOf({ operation }: Offered, own: Belongings): Promise<Record<string, unknown>> {
  const names = (operation.parameters ?? []).filter(({ in: place }) => place !== "header");
  return Object.fromEntries(await Promise.all(names.map(async ({ name }) => [name, await own(name)])));
}

async function fuzz(offered: Offered, ada: Client, own: Belongings) {
  const things = await ownOf(offered, own);
  const isFinal = FINAL.includes(offered.operation.operationId);
  const isPublic = offered.operation.security?.length === 0;
  const property = fc.asyncProperty(draw(offered, things), fc.boolean(), async (drawn, isOwn) => {
    const client = isPublic ? visitor() : isFinal ? await person() : ada;
    const body =
      isOwn && !WITHOUT_CODE.includes(offered.operation.operationId)
        ? await withOwn(drawn.body, own)
        : drawn.body;
    const { status, text } = await client.call(offered.route, partsOf(offered, { ...drawn, body }));
    expect(status, text).toBeLessThan(500);
  });
  await fc.assert(property, { numRuns: RUNS });
}

// One account may ask only so often in a minute.
test.each([
  ["reads", ({ method }: Offered) => method === "GET"],
  ["writes", ({ method }: Offered) => method !== "GET"],
])(
  "no request that %s, generated from the description, gets a 5xx or an undeclared answer",
  async (_, isOf) => {
    const ada = await person({ email: EXAMPLE_EMAIL });
    const failures: string[] = [];
    for (const offered of OPERATIONS.filter(isOf)) {
      await fuzz(offered, ada, belongings(ada)).catch((error: Error) =>
        failures.push(`${offered.operation.operationId}: ${error.message} ${error.cause ?? ""}`),
      );
    }
    expect(failures).toEqual([]);
  },
  3_600_000,
);

/** No text with U+0000 or a lone surrogate is ever stored, so no answer has one. */
const isStored = (value: unknown) => !/\\u(0000|d[89a-f])/.test(JSON.stringify(value) ?? "");

test("whatever matches the description of an answer is a valid answer of the service", () => {
  for (const { operation, route } of OPERATIONS) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const described = content?.["application/json"]?.schema;
      if (!described) continue;
      const declared = route.responses[status] as {
        content: Record<string, { schema: { parse: (value: unknown) => unknown } }>;
      };
      for (const value of fc.sample(valid(described).filter(isStored), { numRuns: 5, seed: 1 })) {
        declared.content["application/json"]?.schema.parse(value);
      }
    }
  }
});
