import { join } from "node:path";
import { build } from "esbuild";
import type { Plugin, Rolldown } from "vite";
import type { ScreenName } from "../src/contract/paths.ts";
import type { ScreenFiles } from "./src/shell/early.ts";

const EARLY = join(import.meta.dirname, "src", "shell", "early.ts");

type Bundle = Rolldown.OutputBundle;

/** The files that a file of the build needs immediately, including itself. */
function filesNeededBy(name: string, bundle: Bundle, found = new Set<string>()): Set<string> {
  const file = bundle[name];
  if (found.has(name) || file?.type !== "chunk") return found;
  found.add(name);
  for (const style of file.viteMetadata?.importedCss ?? []) found.add(style);
  for (const imported of file.imports) filesNeededBy(imported, bundle, found);
  return found;
}

/** Today needs only the files of every screen. For rarer screens the names would cost more than they save. */
const FREQUENT_SCREENS: readonly ScreenName[] = ["search", "documents", "document", "records", "record"];

/** The additional files of each screen, as indexes into a list of names. The chunk of a screen has the name of the screen. */
function filesOfScreens(bundle: Bundle): ScreenFiles {
  const names: string[] = [];
  const placeOf = (name: string) => (names.includes(name) ? names.indexOf(name) : names.push(name) - 1);
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const ofAll = filesNeededBy(chunks.find(({ name }) => name === "index")?.fileName ?? "", bundle);
  const places = FREQUENT_SCREENS.map((screen) => {
    const own = chunks.find(({ name, isDynamicEntry }) => isDynamicEntry && name === screen);
    if (!own) throw new Error(`No chunk found for the screen ${screen}`);
    const files = [...filesNeededBy(own.fileName, bundle)].filter((file) => !ofAll.has(file));
    return [screen, files.map(placeOf)];
  });
  return { names, of: Object.fromEntries(places) };
}

async function buildEarlyScript(bundle: Bundle): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [EARLY],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    write: false,
    define: { __FILES__: JSON.stringify(filesOfScreens(bundle)) },
  });
  return outputFiles[0]?.text ?? "";
}

/** Builds web/src/shell/early.ts as a self-contained script, so that it runs before the others. */
export const early = (): Plugin => ({
  name: "early",
  apply: "build",
  enforce: "pre",
  async generateBundle(_options, bundle) {
    this.emitFile({ type: "asset", name: "early.js", source: await buildEarlyScript(bundle) });
  },
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle = {} }) => {
      const name = Object.keys(bundle).find((one) => one.startsWith("app/early-"));
      if (!name) throw new Error("The early script was not built");
      return [{ tag: "script", attrs: { src: `/${name}`, async: true }, injectTo: "head-prepend" }];
    },
  },
});
