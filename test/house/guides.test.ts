/// <reference types="vite/types/importMeta.d.ts" />
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { planLimits } from "../../src/contract/plan-limits.ts";
import { clientInstructions } from "../../web/src/features/connections/clients.ts";
import { person } from "../kit/client.ts";
import { anchorsOf, codeOf, EVERYTHING, GUIDES, guideOf, withoutCode } from "../kit/guides.ts";
import { stateless } from "../kit/mcp.ts";

// README.md, CONTRIBUTING.md and docs/ agree with each other and with the code.

/** What else a guide may link to. */
const others = Object.keys(
  import.meta.glob(
    ["../../LICENSE", "../../.github/**/*", "../../.ci/*", "../../server.json", "../../plugin/*"],
    { exhaustive: true },
  ),
);

/** Whatever may point to a guide, in a text or comment. */
const sources = import.meta.glob<string>(
  [
    "../../{src,web,scripts,cli,bench,test,migrations,.github}/**/*.{ts,tsx,html,sql,yml,service,timer,sh}",
    "../../{wrangler.toml,Dockerfile,compose.yaml,package.json,vitest.config.ts}",
  ],
  { query: "?raw", import: "default", eager: true, exhaustive: true },
);

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = ""]) => found);

/** Why a link leads nowhere, if so. `path` is from the top of the repository. */
function brokenBecause(path: string, anchor: string | undefined): string | undefined {
  const guide = GUIDES[path];
  if (guide === undefined) return others.includes(`../../${path}`) ? undefined : `there is no ${path}`;
  return anchor && !anchorsOf(guide).includes(anchor) ? `${path} has no heading #${anchor}` : undefined;
}

/** The links of a guide to other guides, headings and files: Markdown's, and those of images. */
const linksOf = (text: string) =>
  [...all(withoutCode(text), /\]\(([^)\s]+)\)/g), ...all(text, /<img src="([^"]+)"/g)].filter(
    (link) => !/^https?:/.test(link),
  );

test.for(Object.entries(GUIDES))("every link in %s leads somewhere", ([name, text]) => {
  const broken = linksOf(text).map((link) => {
    const { pathname, hash } = new URL(link, `https://repository.test/${name}`);
    return brokenBecause(pathname.slice(1), hash.slice(1) || undefined);
  });
  expect(broken.filter(Boolean)).toEqual([]);
});

test("no guide has two headings with the same anchor", () => {
  for (const [name, text] of Object.entries(GUIDES)) {
    const anchors = anchorsOf(text);
    expect(anchors, name).toEqual([...new Set(anchors)]);
  }
});

test("what points to a guide elsewhere names one that exists, by its path and heading", () => {
  expect(Object.keys(sources).length).toBeGreaterThan(500);
  const pointers = Object.entries(sources).flatMap(([path, text]) =>
    all(text, /\b((?:README|CONTRIBUTING|docs\/[a-z-]+)\.md(?:#[\w-]+)?)/g).map((link) => ({ path, link })),
  );
  expect(pointers.map(({ link }) => link)).toContain("docs/settings.md");
  const broken = pointers.flatMap(({ path, link }) => {
    const [guide = "", anchor] = link.split("#");
    return brokenBecause(guide, anchor) ? [`${path}: ${link}`] : [];
  });
  expect(broken).toEqual([]);
});

describe("README.md", () => {
  const readme = guideOf("README.md");

  test("is short, and leads to every page of docs/ and to CONTRIBUTING.md", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(250);
    const [, table = ""] = readme.split("\n## Where everything else is\n");
    const linked = all(table, /^\| \[[^\]]+\]\(([^)]+)\) \| .{20,} \|$/gm);
    const pages = Object.keys(GUIDES).filter((name) => name !== "README.md");
    expect(linked.sort()).toEqual(pages.sort());
  });

  test("connects each client as the app does", () => {
    const [, section = ""] = readme.split("\n## Connect an assistant\n");
    for (const { name, snippet } of clientInstructions("http://localhost:8001/mcp")) {
      if (!snippet || name === "Other") continue;
      const row = all(section, new RegExp(`^\\| (${name}\\b.*) \\|$`, "gm")).join("\n");
      expect(row, name).not.toBe("");
      if (snippet.label === "the configuration") {
        const [json = ""] = all(row, /`(\{.*\})`/g);
        expect(JSON.parse(json), name).toEqual(JSON.parse(snippet.text));
      } else if (snippet.label === "the command") {
        expect(row, name).toContain(`\`${snippet.text}\``);
      }
    }
  });
});

test("every command of npm is one of package.json's", () => {
  const { scripts } = JSON.parse(sources["../../package.json"] ?? "") as { scripts: Record<string, string> };
  const named = all(EVERYTHING, /\bnpm run (?:--silent )?([a-z][\w:-]*)/g);
  expect(named).toContain("backup");
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test("the table of plans has the limits that apply", () => {
  const rows = [...guideOf("docs/operating.md").matchAll(/^\| `(free|pro|team)` \| (.*) \|$/gm)];
  const bytes = (text: string) => {
    const [number = "", unit] = text.split(" ");
    return Number(number.replaceAll(",", "")) * (unit === "GB" ? 1e9 : unit === "MB" ? 1e6 : 1);
  };
  const written = rows.map(([, plan, cells = ""]) => [plan, ...cells.split(" | ").map(bytes)]);
  const { self_hosted, ...limits } = planLimits();
  const NAMES = ["documents", "records", "bytes", "api_keys", "connections", "requests_per_day"] as const;
  const applying = Object.entries(limits).map(([plan, limit]) => [plan, ...NAMES.map((name) => limit[name])]);
  expect(written).toEqual(applying);
  expect(self_hosted).toEqual({});
});

test("docs/assistants.md names the tools, prompts and resources that there are", async () => {
  const [, section = ""] = guideOf("docs/assistants.md").split("\n## Tools, resources and prompts\n");
  const asker = stateless(await person());
  const listed = async (method: string, kind: string, key: string) => {
    const { result } = await asker.ask(method, {});
    const items = result?.[kind] as Record<string, string>[] | undefined;
    return (items ?? []).map((one) => one[key] ?? "");
  };
  const table = all(section, /^\| .+ \| (`.*`) \|$/gm).flatMap((cell) => all(cell, /`(\w+)`/g));
  expect(table.sort()).toEqual((await listed("tools/list", "tools", "name")).sort());
  const [, resources = "", prompts = ""] =
    /^Resources: ([\s\S]+?)\. Prompts:([\s\S]+?)\.$/m.exec(section) ?? [];
  expect(all(prompts, /`(\w+)`/g).sort()).toEqual((await listed("prompts/list", "prompts", "name")).sort());
  const addresses = [
    ...(await listed("resources/list", "resources", "uri")),
    ...(await listed("resources/templates/list", "resourceTemplates", "uriTemplate")),
  ];
  expect(all(resources, /`(.+?)`/g).sort()).toEqual(addresses.sort());
});

test("the examples of settings and requests are JSON", () => {
  const bodies = Object.values(GUIDES).flatMap((text) =>
    codeOf(text, "sh").flatMap((code) => all(code, /-d '(\{.*\})'/g)),
  );
  const [limits = ""] = all(guideOf("docs/operating.md"), /`PLAN_LIMITS` changes them: `(\{.*\})`/g);
  expect(bodies.length).toBeGreaterThan(3);
  for (const body of [...bodies, limits]) expect(JSON.parse(body)).toBeTypeOf("object");
  expect(planLimits(limits).free.documents).toBe(500);
});

// docs/settings.md describes every setting, and no other.

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

/** The variables of the environment that the scripts read: as a property, by destructuring, or as an option's. */
function readByScripts(): string[] {
  const scripts = Object.entries(sources).filter(([path]) => path.startsWith("../../scripts/"));
  const names = scripts.flatMap(([, text]) => [
    ...all(text, /\benv(?:ironment)?\??\.([A-Z][A-Z0-9_]+)/g),
    ...all(text, /\.env\("([A-Z0-9_]+)"\)/g),
    ...all(text, /const \{([^}]*)\} = (?:process\.env|environment)\b/g).flatMap((inner) =>
      all(inner, /\b([A-Z][A-Z0-9_]+)\b/g),
    ),
  ]);
  return [...new Set(names)].sort();
}

const { vars } = parse(sources["../../wrangler.toml"] ?? "") as { vars: Record<string, string> };
const workerSettings = Object.keys(vars);

test("the tables have every setting of wrangler.toml and of npm start, each once", () => {
  const rows = all(settings, /^\| (`[A-Z0-9`_, ]+`) \|/gm).flatMap((row) => all(row, /`([A-Z0-9_]+)`/g));
  expect(rows.sort()).toEqual([...workerSettings, "API_PORT", "MCP_PORT", "STATE_DIR", "HOST"].sort());
});

test("the tables have the defaults of wrangler.toml", () => {
  const rows = [...settings.matchAll(/^\| `([A-Z0-9_]+)` \| (empty|`([^`]*)`)/gm)];
  const written = Object.fromEntries(rows.map(([, name, , value = ""]) => [name, value]));
  expect(written).toMatchObject(vars);
});

test("the Worker reads the settings of wrangler.toml and the secrets, all of which are described", () => {
  const read = all(sources["../../src/env.ts"] ?? "", /^ {2}([A-Z0-9_]+)\??: string;/gm);
  expect(read.sort()).toEqual([...workerSettings, ...SECRETS, ...OF_START, "STRIPE_API_URL"].sort());
  expect(SECRETS.filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
});

test("the variables that the commands read are described", () => {
  const names = readByScripts().filter((name) => !NOT_DESCRIBED.includes(name));
  expect(names).toEqual(expect.arrayContaining(["STATE_DIR", "COMMONPLACE_KEY"]));
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(EVERYTHING))).toEqual([]);
});
