import { isDay, resolveInstant } from "../../contract/days.ts";
import type { Ctx } from "./ctx.ts";

/** Reads with the time zone that this isolate saw last, and again if it turns out to have changed. */
export async function readInTimezone<Answer>(
  ctx: Ctx,
  read: (timezone: string) => Promise<Answer>,
): Promise<Answer> {
  const last = ctx.lastSettings?.timezone;
  const answer = last === undefined ? undefined : await read(last);
  const { timezone } = await ctx.user();
  return answer !== undefined && timezone === last ? answer : read(timezone);
}

/** Reads with the days (YYYY-MM-DD) in the fields `names` replaced by the instants at which they begin for the caller. */
export function readWithDaysAsInstants<Requested extends object, Answer>(
  ctx: Ctx,
  requested: Requested,
  names: readonly (keyof Requested)[],
  read: (requested: Requested) => Promise<Answer>,
): Promise<Answer> {
  const days = names.filter((name) => isDay(requested[name]));
  if (days.length === 0) return read(requested);
  return readInTimezone(ctx, (timezone) => {
    const instants = days.map((name) => [name, resolveInstant(String(requested[name]), timezone)]);
    return read({ ...requested, ...Object.fromEntries(instants) });
  });
}
