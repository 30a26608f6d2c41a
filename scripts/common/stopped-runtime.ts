import { createRequire } from "node:module";
import { join } from "node:path";
import type { Miniflare } from "miniflare";

/** A runtime on the data of a stopped copy. Dispose of it before the copy starts again. */
export function stoppedRuntime(
  stateDir: string,
  bindings: { kvNamespaces?: Record<string, string>; r2Buckets?: Record<string, string> },
): Miniflare {
  const { convertV4MiniflareOptions, Miniflare } = createRequire(import.meta.url)(
    "miniflare",
  ) as typeof import("miniflare");
  return new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default {}",
      ...bindings,
      resourcePersistencePath: join(stateDir, "v3"),
    }),
  );
}
