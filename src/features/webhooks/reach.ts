import type { Env } from "../../env.ts";
import type { Reach } from "../../platform/http/outbound.ts";

export const reachOf = ({ WEBHOOK_PRIVATE }: Env): Reach => (WEBHOOK_PRIVATE === "allow" ? "any" : "public");
