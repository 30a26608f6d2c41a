// What a client means by the body of its registration (RFC 7591). What it does not know, a server ignores (section 2).

type Metadata = Record<string, unknown>;

/** What we can register a client for. It may ask for more (section 2), and is told what it has got. */
const CHOICES: Metadata = {
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
};

/** Libraries write a field that has no value as null, an empty text or an empty list. */
const isLeftOut = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Those of a client's choices that we have, or all of them, which are then refused. */
function possible(name: string, value: unknown): unknown {
  const offered = CHOICES[name];
  if (!Array.isArray(offered) || !Array.isArray(value)) return value;
  const both = value.filter((one) => offered.includes(one));
  return both.length > 0 ? both : value;
}

/** The body of a registration, without fields that have no value, and without choices that we have not. */
export function plainRegistration(body: string): string {
  const sent = parsed(body);
  if (!sent) return body;
  const given = Object.entries(sent).filter(([, value]) => !isLeftOut(value));
  return JSON.stringify(Object.fromEntries(given.map(([name, value]) => [name, possible(name, value)])));
}

function parsed(body: string): Metadata | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Metadata)
      : undefined;
  } catch {
    return undefined;
  }
}
