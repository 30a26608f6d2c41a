// The districts of the sources, and what a source imports. A source is named by its path, without its ending.

/** The districts, and which others each may import, types included. */
const DISTRICTS: Record<string, string[]> = {
  "src/contract": [],
  "src/shared": ["src/contract"],
  "src/env": [],
  "src/platform": ["src/contract", "src/shared", "src/env"],
  "src/engine": ["src/shared", "src/platform"],
  "src/features": ["src/contract", "src/shared", "src/env", "src/platform", "src/engine"],
  "src/doors": ["src/contract", "src/shared", "src/env", "src/platform", "src/engine", "src/features"],
  "src/app": ["src/contract", "src/shared", "src/platform", "src/features", "src/doors"],
  "src/purge": ["src/contract", "src/shared", "src/env", "src/platform", "src/engine", "src/features"],
  "src/index": ["src/app", "src/env", "src/platform", "src/features", "src/doors", "src/purge"],
  "web/src/api": ["src/contract", "src/shared"],
  "web/src/state": ["src/contract", "src/shared", "web/src/api"],
  "web/src/kit": ["src/contract", "src/shared", "web/src/api", "web/src/state"],
  "web/src/features": ["src/contract", "src/shared", "web/src/api", "web/src/state", "web/src/kit"],
  "web/src/shell": [
    "src/contract",
    "src/shared",
    "web/src/api",
    "web/src/state",
    "web/src/kit",
    "web/src/features",
  ],
  "web/worker": ["src/contract", "src/shared"],
  scripts: ["src/contract", "src/shared"],
};

export type Import = { from: string; to: string };

const IMPORT = /^(?:import|export)\b[^;]*?from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm;

function resolve(from: string, target: string): string {
  if (!target.startsWith(".")) return target;
  const path = new URL(target, `file:///${from}`).pathname.slice(1);
  return path.replace(/\.tsx?$/, "");
}

/** What a source imports, types included: the names of sources, and of packages. */
export function importsIn(name: string, text: string): string[] {
  const targets = [...text.matchAll(IMPORT)].map(([, from, alone, late]) => from ?? alone ?? late ?? "");
  return targets.map((target) => resolve(name, target));
}

/** How many folders name a district below these: `src/features`, `web/src/kit`, `scripts`. */
const DEPTHS = { src: 2, "web/src": 3, web: 2, scripts: 1 };

/** The first folders of a file. */
const first = (name: string, depth: number) => name.split("/").slice(0, depth).join("/");
const depthOf = (name: string) =>
  Object.entries(DEPTHS).find(([folder]) => name.startsWith(`${folder}/`))?.[1] ?? 1;

/** The district of a file. */
export const districtOf = (name: string) => first(name, depthOf(name));

/** The folder of a file within its district: `src/features/documents`, `web/src/features/records`. */
export const roomOf = (name: string) => first(name.split("/").slice(0, -1).join("/"), depthOf(name) + 1);

/** Whether an import leads to a district that the importing one may not know. */
export function isUpwards({ from, to }: Import): boolean {
  const [own, other] = [districtOf(from), districtOf(to)];
  return own !== other && !DISTRICTS[own]?.includes(other);
}
