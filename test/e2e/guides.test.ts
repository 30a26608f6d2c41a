import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { sharedService } from "./instances.ts";

// What README.md and docs/ tell people to type.

const run = promisify(execFile);

/** The texts of all guides, README.md first. */
let guides: string[];

const shared = sharedService({}, async () => {
  const pages = (await readdir("docs")).sort().map((name) => `docs/${name}`);
  const paths = ["README.md", "CONTRIBUTING.md", ...pages];
  guides = await Promise.all(paths.map((path) => readFile(path, "utf8")));
});

const blocksOf = (text: string) =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);

test("the requests answer what they are about, one after the other in one shell", async () => {
  const requests = guides.flatMap(blocksOf).filter((code) => code.includes("curl "));
  expect(requests.length).toBe(4);
  const script = requests.join("\n").replace("url=http://localhost:8000", `url=${shared.service.apiUrl}`);
  expect(script).toContain(`url=${shared.service.apiUrl}\n`);
  // An answer in each line.
  const { stdout } = await run("bash", ["-euc", script.replaceAll("curl -s ", "curl -sS -w '\\n' ")]);
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers).toMatchObject([
    { title: "Packing list", tags: ["travel"] },
    { total: 1, results: [{ document: { title: "Packing list" } }] },
    { name: "Cursor", scopes: expect.arrayContaining(["memory:write"]) },
    { name: "hello.txt", type: "text/plain", bytes: 16 },
    { url: "https://hooks.example.com/commonplace", status: "active" },
  ]);
});

type Use = { place: string; name: string; subcommand: string | undefined; options: string[] };

/** What follows `npm run <command> --` anywhere. */
function usesOf(text: string): Use[] {
  const uses = [...text.matchAll(/npm run ([\w:]+) --\s([^`#\n]*)/g)];
  return uses.map(([place, name = "", rest = ""]) => {
    const words = rest.split(/\s+/);
    const [first = ""] = words;
    return {
      place,
      name,
      subcommand: /^[a-z][a-z-]*$/.test(first) ? first : undefined,
      options: words
        .flatMap((word) => /^\[?(--[a-z-]+)/.exec(word)?.[1] ?? [])
        .filter((option) => option !== "--help"),
    };
  });
}

/** What a command of package.json prints with `--help`, each asked once. */
function helper(scripts: Record<string, string>) {
  const helps = new Map<string, Promise<string>>();
  return (name: string, subcommand = "") => {
    const command = `${scripts[name]} ${subcommand} --help`;
    const help = helps.get(command) ?? run("sh", ["-c", command]).then(({ stdout }) => stdout);
    helps.set(command, help);
    return help;
  };
}

/** Whether a command has the subcommand and the options with which a guide names it. */
async function isAsNamed({ name, subcommand, options }: Use, helpOf: ReturnType<typeof helper>) {
  const help = await helpOf(name);
  if (subcommand && !new RegExp(`\\b${subcommand}\\b`).test(help)) return false;
  const hasOwn = subcommand && options.length > 0 && help.includes("\nCommands:");
  const own = hasOwn ? await helpOf(name, subcommand) : help;
  return options.every((option) => own.includes(option));
}

test("the commands have the subcommands and options with which they are named", {
  timeout: 180_000,
}, async () => {
  const { scripts } = JSON.parse(await readFile("package.json", "utf8"));
  const helpOf = helper(scripts);
  const uses = guides.flatMap(usesOf);
  expect(uses.map(({ name }) => name)).toContain("restore");
  const unknown: string[] = [];
  for (const use of uses) if (!(await isAsNamed(use, helpOf))) unknown.push(use.place);
  expect(unknown).toEqual([]);
});
