import type { Reach } from "../platform/http/outbound.ts";
import type { Env } from "../env.ts";

/** Where this deployment may send events. */
export const reachOf = ({ WEBHOOK_PRIVATE }: Env): Reach => (WEBHOOK_PRIVATE === "allow" ? "any" : "public");
