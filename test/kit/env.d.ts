import type { D1Migration } from "cloudflare:test";
import type { Env } from "../../src/env.ts";
import type main from "../../src/index.ts";

declare global {
  namespace Cloudflare {
    interface Env extends ServiceEnv {
      MIGRATIONS: D1Migration[];
      REPLICA: D1Database;
      DB_2: D1Database;
      DB_3: D1Database;
      CHECKED_EMAIL: SendEmail;
      NIGHTLY: string;
      FUZZ_RUNS: string;
      SIMULATION_RUNS: string;
      SERIES_RUNS: string;
    }
    interface GlobalProps {
      mainModule: { default: typeof main };
    }
  }
  type ServiceEnv = Env;

  interface ImportMeta {
    /** Vite's import of many files. */
    glob<Module>(pattern: string, options: { eager: true }): Record<string, Module>;
  }
}
