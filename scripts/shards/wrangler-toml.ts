import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { parse, type TomlTable } from "smol-toml";
import { formatShards, type Shard } from "../../src/contract/shards.ts";
import type { Databases } from "../common/databases.ts";
import { configHomes } from "../common/settings.ts";

// Changes wrangler.toml and keeps its comments and layout. The libraries that edit TOML are unmaintained or rewrite the
// file. So this edits lines, then parses the result and compares it with the expected content.

type WranglerTomlChange = { homes: string; database?: { binding: string; database_name: string } };

/** Inserts lines after the last section with this header. */
function insertAfterSection(text: string, header: string, inserted: string): string {
  const lines = text.split("\n");
  const start = lines.findLastIndex((line) => line.trim() === header);
  const next = lines.findIndex((line, index) => index > start && line.trimStart().startsWith("["));
  const own = lines.slice(0, next === -1 ? lines.length : next);
  const end = own.findLastIndex((line) => /^\s*[^#\s]/.test(line)) + 1;
  return start === -1
    ? text
    : [...lines.slice(0, end), ...inserted.split("\n"), ...lines.slice(end)].join("\n");
}

function withHomes(text: string, homes: string): string {
  const [before = "", vars] = text.split(/^\[vars\][ \t]*$/m, 2);
  if (vars === undefined) return text;
  const rest = text.slice(before.length);
  const end = rest.slice(1).search(/^\[/m) + 1 || rest.length;
  const section = rest.slice(0, end);
  const line = /^HOMES\s*=\s*(?:"[^"\n]*"|'[^'\n]*')/m;
  const changed = line.test(section)
    ? section.replace(line, () => `HOMES = "${homes}"`)
    : section.replace(/^\[vars\].*$/m, (header) => `${header}\nHOMES = "${homes}"`);
  return before + changed + rest.slice(end);
}

const databaseSection = ({ binding, database_name }: NonNullable<WranglerTomlChange["database"]>) =>
  `
[[d1_databases]]
binding = "${binding}"
database_name = "${database_name}"
migrations_dir = "migrations"`;

function expectedContent(text: string, { homes, database }: WranglerTomlChange): TomlTable {
  const table = parse(text) as { vars: Record<string, string>; d1_databases: object[] } & TomlTable;
  const databases = database ? [{ ...database, migrations_dir: "migrations" }] : [];
  return {
    ...table,
    vars: { ...table.vars, HOMES: homes },
    d1_databases: [...table.d1_databases, ...databases] as never,
  };
}

/** Plain objects, because the parser's have another prototype. */
const toPlainObject = (table: TomlTable) => JSON.parse(JSON.stringify(table));

/** The text of wrangler.toml after a change. Throws with the lines to add by hand if the layout is not supported. */
function changeWranglerToml(text: string, change: WranglerTomlChange): string {
  const { homes, database } = change;
  const block = database ? databaseSection(database) : "";
  const result = withHomes(database ? insertAfterSection(text, "[[d1_databases]]", block) : text, homes);
  const isAsExpected = () =>
    isDeepStrictEqual(toPlainObject(parse(result)), toPlainObject(expectedContent(text, change)));
  try {
    if (isAsExpected()) return result;
  } catch {
    // The edit broke the file.
  }
  throw new Error(
    `This command cannot edit the layout of your wrangler.toml. Add these lines yourself:\n\n[vars]\nHOMES = "${homes}"\n${block}`,
  );
}

function writeWranglerToml(change: WranglerTomlChange): void {
  const text = changeWranglerToml(readFileSync("wrangler.toml", "utf8"), change);
  writeFileSync("wrangler.toml.new", text);
  renameSync("wrangler.toml.new", "wrangler.toml");
}

/**
 * Sets HOMES in wrangler.toml. If the service gets HOMES from its environment, prints the new value instead. Also prints
 * how the change takes effect.
 */
export function writeHomesSetting(
  { setting, isRemote }: Databases,
  shards: Shard[],
  database?: WranglerTomlChange["database"],
): void {
  const value = formatShards(shards);
  const isWritten = setting === configHomes();
  if (isWritten) {
    writeWranglerToml({ homes: value, ...(database && { database }) });
    console.log(`wrangler.toml now has HOMES = "${value}"`);
  } else console.log(`The service gets HOMES from its environment. Set it to: HOMES="${value}"`);
  const command = isRemote ? "`npm run deploy`" : "the next `npm start`";
  console.log(`It takes effect with ${command}.`);
}
