/// <reference types="vite/types/importMeta.d.ts" />
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { EVERYTHING, guideOf } from "../kit/guides.ts";

// docs/settings.md describes every setting, and no other.

const files = import.meta.glob<string>(["../../wrangler.toml", "../../src/env.ts", "../../scripts/**/*.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const settings = guideOf("docs/settings.md");

/** Set by the tools that run a command, only for tests and for trying out, or between our own processes. */
const NOT_DESCRIBED = [
  ...["GITHUB_OUTPUT", "WORKERS_CI", "STRIPE_API_URL", "SECRETS_FILE", "CLOUDFLARE_API_BASE_URL"],
  ...["DEV_STATE"],
  "MINIFLARE_WORKERD_V8_FLAGS",
];
/** What `npm start` tells its Worker. */
const OF_START = ["FRONT_SECRET", "LOCAL_ONLY"];
const SECRETS = [
  ...["JWT_SECRET", "JWT_SECRET_PREVIOUS", "SMTP_URL", "STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
];

const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name);

/** The variables of the environment that the scripts read: as a property, by destructuring, or as an option's. */
function readByScripts(): string[] {
  const scripts = Object.entries(files).filter(([path]) => path.startsWith("../../scripts/"));
  const names = scripts.flatMap(([, text]) => [
    ...found(text, /\benv(?:ironment)?\??\.([A-Z][A-Z0-9_]+)/g),
    ...found(text, /\.env\("([A-Z0-9_]+)"\)/g),
    ...found(text, /const \{([^}]*)\} = (?:process\.env|environment)\b/g).flatMap((inner) =>
      found(inner, /\b([A-Z][A-Z0-9_]+)\b/g),
    ),
  ]);
  return [...new Set(names)].sort();
}

const { vars } = parse(files["../../wrangler.toml"] ?? "") as { vars: Record<string, string> };
const workerSettings = Object.keys(vars);

test("the tables have every setting of wrangler.toml and of npm start, each once", () => {
  const rows = found(settings, /^\| (`[A-Z0-9`_, ]+`) \|/gm).flatMap((row) => found(row, /`([A-Z0-9_]+)`/g));
  expect(rows.sort()).toEqual([...workerSettings, "API_PORT", "MCP_PORT", "STATE_DIR", "HOST"].sort());
});

test("the tables have the defaults of wrangler.toml", () => {
  const rows = [...settings.matchAll(/^\| `([A-Z0-9_]+)` \| (empty|`([^`]*)`)/gm)];
  const written = Object.fromEntries(rows.map(([, name, , value = ""]) => [name, value]));
  expect(written).toMatchObject(vars);
});

test("the Worker reads the settings of wrangler.toml and the secrets, all of which are described", () => {
  const read = found(files["../../src/env.ts"] ?? "", /^ {2}([A-Z0-9_]+)\??: string;/gm);
  expect(read.sort()).toEqual([...workerSettings, ...SECRETS, ...OF_START, "STRIPE_API_URL"].sort());
  expect(SECRETS.filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
});

test("the variables that the commands read are described", () => {
  const names = readByScripts().filter((name) => !NOT_DESCRIBED.includes(name));
  expect(names).toEqual(expect.arrayContaining(["STATE_DIR", "COMMONPLACE_KEY"]));
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(EVERYTHING))).toEqual([]);
});
