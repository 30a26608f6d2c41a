// Items of Joplin's RAW export and JEX, one text file each: notes, notebooks, resources, tags, and the tags of notes. The title
// comes first, then the text, and after the last empty line the properties, one `name: value` per line.

export type JoplinItem = {
  id: string;
  type: number;
  title: string;
  body: string;
  properties: ReadonlyMap<string, string>;
};

export const NOTE = 1;
export const NOTEBOOK = 2;
export const RESOURCE = 4;
export const TAG = 5;
export const NOTE_TAG = 6;

const ID = /^[0-9a-f]{32}$/;
const PROPERTY_LINE = /^([a-z_]{1,60}):(?: (.*))?$/;

/** Reads an item; undefined if the text is not one. */
export function readJoplinItem(text: string): JoplinItem | undefined {
  const lines = text.replaceAll("\r\n", "\n").trimEnd().split("\n");
  const properties = new Map<string, string>();
  let end = lines.length;
  while (end > 0 && lines[end - 1] !== "") {
    end -= 1;
    const [, name, value = ""] = PROPERTY_LINE.exec(lines[end] ?? "") ?? [];
    if (name === undefined) return undefined;
    properties.set(name, value);
  }
  const [id = "", type] = [properties.get("id"), Number(properties.get("type_"))];
  if (!ID.test(id) || !Number.isInteger(type)) return undefined;
  // The title, an empty line, the text, an empty line.
  const [title = "", , ...body] = lines.slice(0, Math.max(0, end - 1));
  return { id, type, title: title.trim(), body: body.join("\n"), properties };
}

const isTrue = (value: string | undefined) => value === "1";

export const isEncrypted = ({ properties }: JoplinItem): boolean =>
  isTrue(properties.get("encryption_applied"));
export const isInTrash = ({ properties }: JoplinItem): boolean =>
  !["", "0", undefined].includes(properties.get("deleted_time"));

/** The time set by the user, or else by Joplin. */
export function itemTime({ properties }: JoplinItem, name: "created" | "updated"): Date | undefined {
  for (const key of [`user_${name}_time`, `${name}_time`]) {
    const time = new Date(properties.get(key) || Number.NaN);
    if (time.getTime() > 0 && time <= new Date()) return time;
  }
  return undefined;
}

/** Further properties of a note, as front matter. Times of a task are in milliseconds, 0 if unset. */
export function noteProperties({ properties }: JoplinItem): Record<string, unknown> {
  const text = (name: string) => (properties.get(name) ? { [name]: properties.get(name) } : {});
  const isTask = isTrue(properties.get("is_todo"));
  const day = (name: string) => {
    const value = properties.get(name) ?? "";
    const time = new Date(/^\d+$/.test(value) ? Number(value) : value);
    return time.getTime() > 0 ? { [name]: time.toISOString() } : {};
  };
  return {
    ...text("author"),
    ...text("source_url"),
    ...(isTask && { is_todo: true, ...day("todo_due"), ...day("todo_completed") }),
  };
}
