import { temporaryFolder } from "../test/e2e/service.ts";
import { benchBundle } from "./bundle.ts";
import { benchCost } from "./cost.ts";
import { benchDashboard } from "./dashboard.ts";
import { benchMcp } from "./mcp.ts";
import { benchMcpCost } from "./mcp-cost.ts";
import { benchSpeed } from "./speed.ts";
import { benchTenancy } from "./tenancy.ts";

// `npm run bench`: every figure of the README, measured on this machine in one run.

const folder = await temporaryFolder();
try {
  benchBundle(folder.path);
  await benchSpeed(`${folder.path}/speed`);
  await benchCost(`${folder.path}/cost`);
  await benchTenancy(`${folder.path}/tenancy`);
  console.table(await benchDashboard());
  await benchMcp(`${folder.path}/mcp`);
  await benchMcpCost(`${folder.path}/mcp-cost`);
} finally {
  await folder.remove();
}
