/** At most `attempts` within any `seconds`. */
export type Limit = { attempts: number; seconds: number };

/** Reads a setting of the form `attempts/seconds`. Throws on any other form: a limit must not vanish by a typo. */
export function parseLimit(name: string, setting: string | undefined): Limit {
  const [, attempts, seconds] = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(setting ?? "") ?? [];
  if (!attempts || !seconds) throw new Error(`${name} must look like 10/60 (attempts/seconds)`);
  return { attempts: Number(attempts), seconds: Number(seconds) };
}
