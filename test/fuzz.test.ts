import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Client, person, visitor } from "./kit/client.ts";
import { type Offered, OPERATIONS, type Parameter, partsOf, type Values } from "./kit/description.ts";
import { broken, valid } from "./kit/from-schema.ts";
import { type Belongings, belongings, EXAMPLE_EMAIL } from "./kit/named.ts";

// Requests made from the description, fitting and not. The client refuses an undeclared status and an answer that does
// not fit its schema; a 5xx is declared everywhere and is a bug here. FUZZ_RUNS is the number of requests for each
// operation. The gate sends the same few on every run; a number of one's own draws new ones.

const RUNS = Number(env.FUZZ_RUNS || 6);
const SEED = env.FUZZ_RUNS ? undefined : 1;

/** What ends the session or the account that the other requests need is sent by somebody new. */
const FINAL = ["deleteMe", "changePassword", "logoutAll", "revokeSession"];

/** A parameter's value: what the person owns, what fits, what does not, or nothing. */
function parameter({ name, required, schema }: Parameter, own: unknown): fc.Arbitrary<[string, unknown]> {
  const values = [valid(schema), valid(schema), broken(schema)];
  if (own !== undefined) values.push(fc.constant(own), fc.constant(own), fc.constant(own));
  if (!required) values.push(fc.constant(undefined), fc.constant(undefined));
  return fc.oneof(...values).map((value) => [name, value]);
}

const draw = ({ operation }: Offered, own: Record<string, unknown>): fc.Arbitrary<Values> => {
  const [media] = Object.values(operation.requestBody?.content ?? {});
  const body = media
    ? fc.oneof(valid(media.schema), broken(media.schema), fc.constant(media.example))
    : fc.constant(undefined);
  const parameters = (operation.parameters ?? []).map((one) => parameter(one, own[one.name]));
  return fc.record({ parameters: fc.tuple(...parameters), body });
};

async function ownOf({ operation }: Offered, own: Belongings): Promise<Record<string, unknown>> {
  const names = (operation.parameters ?? []).filter(({ in: place }) => place !== "header");
  return Object.fromEntries(await Promise.all(names.map(async ({ name }) => [name, await own(name)])));
}

async function fuzz(offered: Offered, ada: Client, own: Belongings) {
  const things = await ownOf(offered, own);
  const isFinal = FINAL.includes(offered.operation.operationId);
  const isPublic = offered.operation.security?.length === 0;
  const property = fc.asyncProperty(draw(offered, things), async (drawn) => {
    const client = isPublic ? visitor() : isFinal ? await person() : ada;
    const { status, text } = await client.call(offered.route, partsOf(offered, drawn));
    expect(status, text).toBeLessThan(500);
  });
  await fc.assert(property, { numRuns: RUNS, ...(SEED !== undefined && { seed: SEED }) });
}

test("no request made from the description is answered with a 5xx or with what is not declared", async () => {
  const ada = await person({ email: EXAMPLE_EMAIL });
  const own = belongings(ada);
  const failures: string[] = [];
  for (const offered of OPERATIONS) {
    await fuzz(offered, ada, own).catch((error: Error) =>
      failures.push(`${offered.operation.operationId}: ${error.message} ${error.cause ?? ""}`),
    );
  }
  expect(failures).toEqual([]);
}, 3_600_000);

test("whatever fits the description of an answer is an answer that the service could give", () => {
  for (const { operation, route } of OPERATIONS) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const described = content?.["application/json"]?.schema;
      if (!described) continue;
      const declared = route.responses[status] as {
        content: Record<string, { schema: { parse: (value: unknown) => unknown } }>;
      };
      for (const value of fc.sample(valid(described), { numRuns: 5, seed: 1 })) {
        declared.content["application/json"]?.schema.parse(value);
      }
    }
  }
});
