import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import react from "@vitejs/plugin-react";
import { parse } from "smol-toml";
import type { Plugin } from "vite";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { HowLong } from "./test/kit/how-long.ts";
import { outside } from "./test/kit/outside.ts";
import { ownRunFolder } from "./test/kit/run-folder.ts";

ownRunFolder();

/** The tests need some page of the app, built or not. */
const APP = "public/index.html";
if (!existsSync(APP)) writeFileSync(APP, "<!doctype html><title>Commonplace</title>\n");

const { alias } = parse(readFileSync("wrangler.toml", "utf8")) as { alias: Record<string, string> };

/** What the bundle leaves out, the tests do without too. */
const leftOut: Plugin = {
  name: "left-out",
  enforce: "pre",
  resolveId: (name) => (Object.hasOwn(alias, name) ? resolve(alias[name] ?? "") : undefined),
};

/**
 * What the service imports when it is needed is imported at once: the runner loads a module within the request that asks
 * for it, and another request that waits for the same module never ends.
 */
const importedAtOnce: Plugin = {
  name: "imported-at-once",
  enforce: "pre",
  transform(code, id) {
    if (!id.startsWith(resolve("src"))) return undefined;
    const names: string[] = [];
    const changed = code.replace(/\bawait import\(("[^"]+")\)/g, (_, name: string) => {
      names.push(name);
      return `importedAtOnce${names.length}`;
    });
    const imports = names.map((name, at) => `import * as importedAtOnce${at + 1} from ${name};`);
    return names.length === 0 ? undefined : { code: `${imports.join("")}${changed}`, map: null };
  },
};

const POLL = { expect: { poll: { timeout: 20_000 } } };

/** Setting one of these tries more, with examples that nobody has seen. */
const isThorough = ["NIGHTLY", "FUZZ_RUNS", "SIMULATION_RUNS", "SERIES_RUNS"].some(
  (name) => process.env[name],
);

/** What takes long, many values or many runs, or is about time itself: nightly. */
const HEAVY = [
  "shared/import/entries",
  "doors/docs/examples",
  "doors/mcp/mcp-calls",
  "doors/mcp/mcp-ended",
  "doors/oauth/oauth-hostile",
  "features/activity/undo-parallel",
  "features/auth/email-change",
  "features/auth/sign-in-limits",
  "features/auth/sign-in-races",
  "features/billing/limits-counts",
  "features/billing/limits-daily",
  "features/billing/limits-operations",
  "features/billing/stripe-messages",
  "features/billing/stripe-order",
  "features/documents/document-sizes",
  "features/documents/excerpts",
  "features/documents/task-filters",
  "features/export/account-zip",
  "features/export/export-cost",
  "features/export/export-sizes",
  "features/export/markdown-export",
  "features/file-text/hostile",
  "features/import/import-hostile",
  "features/import/import-values",
  "features/jobs/job-kills",
  "features/jobs/jobs",
  "features/memories/memory-many",
  "features/name-forms/name-forms",
  "features/memories/series-property",
  "features/shard-migration/migration",
  "features/shard-migration/beside",
  "features/shard-migration/operations",
  "features/shard-migration/races",
  "features/projects/project-undo",
  "features/reminders/reminders-again",
  "features/search/search-hostile",
  "features/search/search-linear",
  "features/search/search-tokens",
  "features/search/segments",
  "features/webhooks/webhook-sender",
  "house/fuzz",
  "house/linear",
  "house/long-texts",
  "platform/faults",
  "platform/shards/apart",
  "platform/shards/placement",
  "platform/shards/registration",
  "platform/kept-answers",
  "platform/known-names",
  "platform/activity-history",
  "platform/names",
  "platform/problems",
  "platform/replica",
  "platform/similar",
  "platform/simulation",
].map((name) => `test/${name}.test.ts`);

/** What runs in the Worker's own runtime. */
const service: TestProjectInlineConfiguration = {
  resolve: {
    alias: [{ find: /^argon2-wasm-edge$/, replacement: `${import.meta.dirname}/test/kit/argon2.ts` }],
  },
  plugins: [
    leftOut,
    importedAtOnce,
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        outboundService: outside,
        // Only the tests of homes have anybody in the second and the third.
        d1Databases: { REPLICA: "replica", DB_2: "home-2", DB_3: "home-3" },
        // The binding of Cloudflare's Email Service as Miniflare has it, which checks but keeps nothing.
        email: {
          send_email: [{ name: "CHECKED_EMAIL", allowed_sender_addresses: ["notes@commonplace.test"] }],
        },
        serviceBindings: { EMAIL: { name: "mail-service", entrypoint: "EmailService" } },
        workers: [
          {
            name: "mail-service",
            modules: true,
            scriptPath: "test/kit/mail-service.js",
            compatibilityDate: "2026-10-01",
          },
        ],
        bindings: {
          HOMES: "DB=weur:open, DB_2=enam:closed, DB_3=apac:closed",
          REGISTRATION: "open",
          LOCAL_ONLY: "true",
          JWT_SECRET: "a secret that only the tests know, of 32 bytes and more",
          CORS_ORIGINS: "https://app.commonplace.test, https://other.commonplace.test",
          API_URL: "https://commonplace.test",
          MCP_URL: "https://commonplace.test/mcp",
          STRIPE_SECRET_KEY: "sk_test_priced",
          STRIPE_WEBHOOK_SECRET: "whsec_that_only_the_tests_know",
          MAIL_FROM: "Commonplace <notes@commonplace.test>",
          // Many tests mail the same person.
          RATE_LIMIT_MAIL: "1000/900",
          MCP_ORIGINS: "https://inspector.commonplace.test",
          NIGHTLY: process.env.NIGHTLY ?? "",
          FUZZ_RUNS: process.env.FUZZ_RUNS ?? "",
          SIMULATION_RUNS: process.env.SIMULATION_RUNS ?? "",
          SERIES_RUNS: process.env.SERIES_RUNS ?? "",
          // So many requests in a row would exceed a user's limit, and a refused request tests nothing.
          ...(process.env.FUZZ_RUNS !== undefined && {
            RATE_LIMIT_USER: "off",
            PLAN_LIMITS: JSON.stringify({ free: { requests_per_day: null } }),
          }),
          MIGRATIONS: await readD1Migrations("./migrations"),
        },
      },
    })),
  ],
  test: {
    name: "service",
    include: ["test/**/*.test.ts"],
    exclude: ["test/{e2e,front-door,scripts}/**", ...(isThorough ? [] : HEAVY)],
    setupFiles: ["./test/kit/setup.ts"],
    // One isolate for half of the files: restarting the Worker for each takes longer than all of their tests.
    isolate: false,
    // So long that a busy machine fails nothing, and that what hangs fails soon; the long forms take minutes.
    testTimeout: isThorough ? 1_800_000 : 120_000,
    // The default of a second is too short for a busy machine.
    ...POLL,
  },
};

/** The command line and the front of `npm start`, on plain Node. */
const scripts: TestProjectInlineConfiguration = {
  test: {
    name: "scripts",
    include: ["test/scripts/*.test.ts"],
    setupFiles: isThorough ? [] : ["./test/scripts/setup.ts"],
    testTimeout: 30_000,
    ...POLL,
  },
};

/** Parts of the app, without a browser. What needs one is in test/front-door and test/e2e. */
const app: TestProjectInlineConfiguration = {
  plugins: [react()],
  test: {
    name: "app",
    include: ["web/test/*.test.{ts,tsx}"],
    environment: "happy-dom",
    isolate: false,
    setupFiles: ["./web/test/kit/browser.ts", "./web/test/kit/setup.ts"],
    testTimeout: 30_000,
    ...POLL,
  },
};

export default defineConfig({
  test: {
    projects: [service, scripts, app],
    // Where nobody watches, only what failed.
    reporters: [
      process.stdout.isTTY ? "default" : "minimal",
      ...(process.env.GITHUB_ACTIONS ? ["github-actions"] : []),
      new HowLong(),
    ],
    // Many tests provoke faults, which the service logs.
    silent: "passed-only",
    maxWorkers: 2,
  },
});
