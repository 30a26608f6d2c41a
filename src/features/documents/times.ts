// The times of a document, which a caller may set. All are in the service's own format, so that they sort as strings.

type GivenTimes = { created_at?: string | undefined; updated_at?: string | undefined };
type Times = { created_at: string; updated_at: string };

/** A new document's times: if only one is given, the other is the same; if none is, both are now. */
export const timesOfNew = ({ created_at, updated_at }: GivenTimes, now: string): Times => ({
  created_at: created_at ?? updated_at ?? now,
  updated_at: updated_at ?? created_at ?? now,
});

export function timesProblem({ created_at, updated_at }: Times, now: string): string | undefined {
  if (created_at > now) return "created_at: must not be in the future";
  if (updated_at > now) return "updated_at: must not be in the future";
  return updated_at < created_at ? "updated_at: must not be before created_at" : undefined;
}
