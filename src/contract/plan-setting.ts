import { nearestName } from "./nearest-name.ts";

/** Reads a setting that is JSON with known names. `example` is shown in errors, which start with the setting's name. */
export function planSetting(name: string, example: string, syntaxError: string) {
  const settingError = (problem: string) => new Error(`${name}: ${problem}`);
  /** The entries of a JSON object. Throws for any other value, and for unknown names. `what` names the object. */
  const entriesOf = (value: unknown, known: readonly string[], what: string): [string, unknown][] => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw settingError(`${what} must be a JSON object such as ${example}`);
    const unknown = Object.keys(value).find((one) => !known.includes(one));
    if (unknown === undefined) return Object.entries(value);
    const near = nearestName(unknown, known);
    const hint = near ? `did you mean ${near}?` : `use ${known.join(", ")}`;
    throw settingError(`${what} has the unknown name "${unknown.slice(0, 60)}"; ${hint}`);
  };
  /** The entries of the setting; none if it is empty. */
  const readSetting = (setting: string, known: readonly string[]): [string, unknown][] => {
    if (setting.trim() === "") return [];
    let value: unknown;
    try {
      value = JSON.parse(setting);
    } catch {
      throw settingError(syntaxError);
    }
    return entriesOf(value, known, "it");
  };
  return { settingError, entriesOf, readSetting };
}
