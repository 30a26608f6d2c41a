import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { askWith } from "../../e2e/ask.ts";
import { freePorts, type Service, startService, temporaryFolder } from "../../e2e/service.ts";
import { fill } from "./fill.ts";
import { ANSWERS, type Fixture, pathsOf } from "./fixture.ts";
import { install } from "./installation.ts";
import { compact, lengthen } from "./lengthen.ts";

// Makes the data of a release for the story of the upgrade, from a checkout of it with its packages:
//
//   git worktree add ../old <commit> && (cd ../old && npm ci)
//   npx node test/front-door/upgrade/make-state.ts ../old 2026-11-24

const [checkout = "", day = ""] = process.argv.slice(2);
if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new Error("Usage: make-state.ts <checkout> <day of the release>");

/** What an installation creates again, or needs only while it runs. */
const LEFT_OUT = ["lock", "operator", "running", join("v3", "cache"), join("v3", "ratelimit")];
/** Sets neither its own time nor its owner, so that the archive says nothing of who made it. */
const TAR = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=2026-01-01 00:00Z"];

const secrets = { JWT_SECRET: "only-for-tests-this-key-is-published-with-the-source" };
const scratch = await temporaryFolder();
const copy = join(scratch.path, "copy");
const contents = join(scratch.path, "contents");
const stateDir = join(contents, "state");
for (const folder of [copy, contents]) mkdirSync(folder);
install(checkout, copy, secrets);
const ports = await freePorts();

async function withService<Result>(use: (service: Service) => Promise<Result>): Promise<Result> {
  const service = await startService(stateDir, {}, ports, { command: "start", cwd: copy });
  return use(service).finally(service.stop);
}

async function read(apiUrl: string, fixture: Fixture): Promise<Record<string, unknown>> {
  const ask = askWith(apiUrl, fixture.ada.api_key);
  const answers: Record<string, unknown> = {};
  for (const path of pathsOf(fixture)) answers[path] = await ask("GET", path);
  return answers;
}

try {
  const fixture = await withService(({ apiUrl, mcpUrl }) => fill(apiUrl, mcpUrl, secrets));
  lengthen(stateDir);
  const answers = await withService(({ apiUrl }) => read(apiUrl, fixture));
  compact(stateDir);
  for (const name of LEFT_OUT) rmSync(join(stateDir, name), { recursive: true, force: true });
  writeFileSync(join(contents, ANSWERS), JSON.stringify(answers));
  const name = resolve(import.meta.dirname, `state-${day}`);
  execFileSync("tar", [...TAR, "-I", "gzip -9n", "-C", contents, "-cf", `${name}.tar.gz`, "."]);
  writeFileSync(`${name}.json`, `${JSON.stringify(fixture, null, 2)}\n`);
} finally {
  await scratch.remove();
}
