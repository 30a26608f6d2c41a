import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readSettings } from "../../scripts/common/settings.ts";

// The files for a copy at home, checked without a container runtime; `npm run test:all` builds and starts the image where
// there is one.

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };

/** The instructions of the Dockerfile, with continued lines joined. */
const instructions = readFileSync("Dockerfile", "utf8")
  .replace(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => /^(\w+)\s+(.*)$/.exec(line)?.slice(1) ?? [line, ""]);
const argumentsOf = (name: string) =>
  instructions.filter(([one]) => one === name).map(([, text]) => text ?? "");

test("the image contains what npm ci and npm start read, and nothing that was built or stored here", () => {
  const copied = argumentsOf("COPY").flatMap((text) =>
    text
      .replace(/--chown=\S+ /, "")
      .split(" ")
      .slice(0, -1),
  );
  for (const path of copied)
    expect(execFileSync("git", ["ls-files", path], { encoding: "utf8" }), path).not.toBe("");
  const read = ["package.json", "package-lock.json", ".npmrc", "tsconfig.json", "wrangler.toml"];
  expect(copied).toEqual([...read, "migrations", "public", "scripts", "src", "web"]);
  for (const name of ["prepare", "start", "backup", "restore", "admin"]) {
    for (const [file] of (scripts[name] ?? "").matchAll(/\S+\.ts/g))
      expect(
        copied.some((path) => file.startsWith(`${path}/`)),
        file,
      ).toBe(true);
  }
});

test("the image listens on every address, keeps data and secrets in its volume, and belongs to nobody special", () => {
  const env = argumentsOf("ENV").flatMap((text) => text.split(" ").map((one) => one.split("=")));
  const settings = readSettings(Object.fromEntries(env));
  const [volume = ""] = argumentsOf("VOLUME");
  expect(settings).toMatchObject({ host: "0.0.0.0", isLocal: false, stateDir: join(volume, "state") });
  expect(argumentsOf("RUN").join()).toContain(`ln -s ${volume}/secrets .dev.vars`);
  expect(argumentsOf("EXPOSE")).toEqual([`${settings.apiPort} ${settings.mcpPort}`]);
  expect(argumentsOf("USER")).toEqual(["node"]);
  expect(JSON.parse(argumentsOf("CMD")[0] ?? "")).toEqual(["npm", "start"]);
  expect(argumentsOf("HEALTHCHECK")[0]).toContain(`http://localhost:${settings.apiPort}/health`);
});

type Service = {
  environment?: Record<string, string>;
  volumes: string[];
  command?: string[];
  configs?: { source: string; target: string }[];
};
type Compose = {
  services: Record<string, Service>;
  configs: Record<string, { content: string }>;
  volumes: object;
};

test("the composition serves one name over https, and invites people", () => {
  const file = readFileSync("compose.yaml", "utf8").replace(/\$\{DOMAIN[^}]*\}/g, "notes.example");
  const { services, configs, volumes } = parse(file) as Compose;
  const { environment = {} } = services.commonplace ?? {};
  const settings = readSettings({ ...environment, HOST: "0.0.0.0" });
  expect(settings).toMatchObject({ address: "https://notes.example", isLocal: false });
  expect(settings.vars).toMatchObject({ REGISTRATION: "invite", MCP_URL: "https://notes.example/mcp" });
  expect(settings.hostNames).toContain("notes.example");
  expect(configs.caddy?.content).toContain(`reverse_proxy commonplace:${settings.apiPort}`);
  expect(configs.caddy?.content).toContain("header_up CF-Connecting-IP {remote_host}");
  const used = Object.values(services).flatMap((service) => service.volumes.map((one) => one.split(":")[0]));
  expect([...new Set(used)].sort()).toEqual(Object.keys(volumes).sort());

  const command = (services.backup?.command?.at(-1) ?? "").replaceAll("$$", "$");
  expect(spawnSync("sh", ["-n", "-c", command]).status).toBe(0);
  expect(existsSync(/sh (\S+\.sh)/.exec(command)?.[1] ?? "")).toBe(true);
});

test("the units of systemd are well-formed, and start scripts that exist", () => {
  const units = readdirSync("scripts/systemd").map((name) => join("scripts/systemd", name));
  expect(units).toHaveLength(3);
  for (const unit of units) {
    const text = readFileSync(unit, "utf8");
    for (const [, path = ""] of text.matchAll(/^ExecStart=.* (scripts\/\S+)/gm))
      expect(existsSync(path)).toBe(true);
  }
  const verified = spawnSync("systemd-analyze", ["verify", ...units], { encoding: "utf8" });
  if (!verified.error) expect(verified.stderr).not.toMatch(/commonplace.*(Unknown|Failed|Invalid)/);
});
