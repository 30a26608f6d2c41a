import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { failCommand } from "./common/fail.ts";
import { buildApp } from "./start/app.ts";
import { bundleWorker } from "./start/bundle.ts";
import { runEsbuild } from "./start/programs.ts";

// `npm run package`: packs the built service as an npm package that starts without a build.

const FOLDER = join("dist", "package");
const COPIED = ["dist/worker", "public", "migrations", "wrangler.toml", "LICENSE"];
const PROGRAMS = ["cli.ts", join("start", "worker.ts")].map((name) => join("scripts", name));
const BIN = join("bin", "commonplace.mjs");

const command = new Command("npm run package --")
  .description("Packs the service for npm. Publishing the file is up to you.")
  .option("--name <name>", "the package's name, such as @you/commonplace", "commonplace")
  .option("--folder <folder>", "where to write the file", ".")
  .option(
    "--desktop",
    "write a bundle for Claude Desktop (.mcpb) on this system instead, with its dependencies",
  );

type Package = { version: string; description: string; license: string } & Record<
  "dependencies" | "devDependencies",
  Record<string, string>
>;

/** Writes package.json. Its only dependency is the runtime; everything else is in the bundles. */
function writeManifest(name: string): void {
  const { version, description, license, devDependencies } = JSON.parse(
    readFileSync("package.json", "utf8"),
  ) as Package;
  const manifest = {
    name,
    version,
    description,
    license,
    type: "module",
    bin: { commonplace: BIN },
    engines: { node: ">=20" },
    dependencies: { miniflare: devDependencies.miniflare },
  };
  writeFileSync(join(FOLDER, "package.json"), JSON.stringify(manifest, null, 2));
}

const bundlePrograms = () =>
  runEsbuild(PROGRAMS, join(FOLDER, "dist", "start"), {
    minifySyntax: true,
    minifyWhitespace: true,
    target: "node22",
    // commander and others are CommonJS, and load Node's modules with `require`.
    banner: {
      js: 'import { createRequire as requireIn } from "node:module"; const require = requireIn(import.meta.url);',
    },
  });

/** Fetched by npx, because only this command needs it. */
const MCPB = "@anthropic-ai/mcpb@2.1.2";

function packDesktop(folder: string): void {
  const options = { cwd: FOLDER, stdio: "inherit" } as const;
  cpSync(join("plugin", "desktop", "manifest.json"), join(FOLDER, "manifest.json"));
  cpSync(join("public", "icons", "icon-512.png"), join(FOLDER, "icon.png"));
  execFileSync("npm", ["install", "--omit=dev", "--no-package-lock", "--no-audit", "--no-fund"], options);
  execFileSync("npx", ["--yes", MCPB, "pack", ".", join(folder, "commonplace.mcpb")], options);
}

async function main(): Promise<void> {
  const { name, folder, desktop } = command.parse().opts<{ name: string; folder: string; desktop?: true }>();
  await bundleWorker();
  await buildApp();
  rmSync(FOLDER, { recursive: true, force: true });
  for (const path of COPIED) cpSync(path, join(FOLDER, path), { recursive: true });
  mkdirSync(join(FOLDER, "bin"));
  cpSync(join("scripts", "cli", "commonplace.mjs"), join(FOLDER, BIN));
  chmodSync(join(FOLDER, BIN), 0o755);
  cpSync(join("docs", "package.md"), join(FOLDER, "README.md"));
  await bundlePrograms();
  writeManifest(name);
  if (desktop) return packDesktop(resolve(folder));
  const pack = ["pack", "--silent", "--pack-destination", resolve(folder)];
  console.log(execFileSync("npm", pack, { cwd: FOLDER, encoding: "utf8" }).trim());
}

main().catch(failCommand);
