import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readSettings } from "../../scripts/common/settings.ts";

// The files for a copy at home, checked without a container runtime; test/e2e/image.test.ts builds and starts the image where
// there is one.

type Service = { environment?: Record<string, string>; volumes: string[]; command?: string[] };
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
