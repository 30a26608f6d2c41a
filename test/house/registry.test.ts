import { expect, test } from "vitest";
import { z } from "zod";
import { version } from "../../package.json";
import manifest from "../../plugin/desktop/manifest.json";
import server from "../../server.json";
import { clientInstructions } from "../../web/src/features/connections/clients.ts";

// What registries and clients read of us. The rules are those of their schemas, written down here and stricter: a name that
// they do not define is a slip.

const text = (max: number) => z.string().min(1).max(max);

/** The registry's schema of 2025-12-11 (static.modelcontextprotocol.io), as far as server.json uses it. */
const Input = z.strictObject({
  description: z.string(),
  isRequired: z.boolean(),
  placeholder: z.string(),
});
const NamedArgument = z.strictObject({
  type: z.literal("named"),
  name: z.string().startsWith("--"),
  value: z.string(),
});
const Http = { type: z.literal("streamable-http"), url: z.string() };
const ServerJson = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  name: text(200).regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: text(100),
  description: text(100),
  version: text(255).regex(/^\d+\.\d+\.\d+$/, "a range is refused"),
  remotes: z.array(z.strictObject({ ...Http, variables: z.record(z.string(), Input) })),
  packages: z.array(
    z.strictObject({
      registryType: z.enum(["npm", "oci", "mcpb"]),
      identifier: z.string(),
      runtimeHint: z.enum(["docker", "npx"]),
      runtimeArguments: z.array(NamedArgument),
      transport: z.strictObject(Http),
    }),
  ),
});

test("server.json is one of the registry, with the package's version, and each part of an address is asked for", () => {
  const { version: own, remotes, packages } = ServerJson.parse(server);
  expect(own).toBe(version);
  for (const { identifier } of packages) expect(identifier).toMatch(new RegExp(`:${version}$`));
  for (const { url, variables } of remotes) {
    const named = [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(named).toEqual(Object.keys(variables));
    const values = Object.entries(variables);
    const filled = values.reduce(
      (filling, [name, { placeholder }]) => filling.replace(`{${name}}`, placeholder),
      url,
    );
    expect(new URL(filled).pathname).toBe("/mcp");
  }
  expect(packages.every(({ transport }) => URL.canParse(transport.url))).toBe(true);
});

/** The manifest of a bundle for Claude Desktop, version 0.3 (modelcontextprotocol/mcpb, MANIFEST.md). */
const Setting = z.strictObject({
  type: z.enum(["string", "number", "boolean", "directory", "file"]),
  title: z.string(),
  description: z.string(),
  default: z.string(),
  required: z.boolean(),
});
const Manifest = z.strictObject({
  manifest_version: z.literal("0.3"),
  name: z.string().regex(/^[a-z0-9-]+$/),
  display_name: z.string(),
  version: z.literal(version),
  description: text(500),
  long_description: z.string(),
  author: z.strictObject({ name: z.string() }),
  license: z.string(),
  icon: z.string(),
  server: z.strictObject({
    type: z.literal("node"),
    entry_point: z.string(),
    mcp_config: z.strictObject({
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    }),
  }),
  user_config: z.record(z.string(), Setting),
  tools_generated: z.literal(true),
  prompts_generated: z.literal(true),
  compatibility: z.strictObject({
    platforms: z.array(z.enum(["darwin", "win32", "linux"])),
    runtimes: z.strictObject({ node: z.string() }),
  }),
});

test("the manifest for Claude Desktop is one, and what it passes on is asked for", () => {
  const { server: started, user_config } = Manifest.parse(manifest);
  const { args, env } = started.mcp_config;
  expect(args[0]).toBe(`\${__dirname}/${started.entry_point}`);
  const passed = Object.values(env).flatMap((value) => /^\$\{user_config\.(\w+)\}$/.exec(value)?.[1] ?? []);
  expect(passed).toEqual(Object.keys(user_config));
});

const ADDRESS = "https://notes.example/mcp";

test("the links that install in one click say the address as each client reads it", () => {
  const links = new Map(
    clientInstructions(ADDRESS).flatMap(({ id, installLink }) =>
      installLink ? [[id, new URL(installLink)]] : [],
    ),
  );
  expect([...links.keys()]).toEqual(["cursor", "vscode"]);
  const cursor = links.get("cursor");
  expect(cursor?.searchParams.get("name")).toBe("commonplace");
  expect(JSON.parse(atob(cursor?.searchParams.get("config") ?? ""))).toEqual({ url: ADDRESS });
  const asked = decodeURIComponent(links.get("vscode")?.search.slice(1) ?? "");
  expect(JSON.parse(asked)).toEqual({ name: "commonplace", type: "http", url: ADDRESS });
  const commands = clientInstructions(ADDRESS).map(({ snippet }) => snippet?.text ?? "");
  expect(commands).toContain(`claude mcp add --transport http commonplace ${ADDRESS}`);
});
