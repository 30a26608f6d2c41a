// How to connect each client. Names of settings are those of the client.

export type Client = {
  id: string;
  name: string;
  /** Instructions, in order. */
  steps: readonly string[];
  /** Text to copy. */
  snippet?: { label: string; text: string };
  /** Deep link that adds the server to the client. */
  installLink?: string;
  /** An alternative, with its advantage. */
  alternative?: { text: string; snippet: { label: string; text: string } };
  /** The client connects from its vendor's servers, which cannot reach a local address. Value: the vendor's name. */
  connectsFrom?: string;
};

const json = (value: unknown) => JSON.stringify(value, null, 2);

export const clientInstructions = (url: string): readonly Client[] => [
  {
    id: "claude",
    name: "Claude",
    steps: [
      "In Claude, open Settings → Connectors → Add custom connector.",
      "Paste this address and allow access.",
    ],
    snippet: { label: "the address", text: url },
    connectsFrom: "Anthropic",
  },
  {
    id: "claude-code",
    name: "Claude Code",
    steps: ["Run this in a terminal, then type /mcp and choose Authenticate."],
    snippet: { label: "the command", text: `claude mcp add --transport http commonplace ${url}` },
    alternative: {
      text:
        "Or install the plugin from the repository’s address or a clone: conversations then start with what is due. For " +
        "its briefing, create an API key below that can only read what is due.",
      snippet: {
        label: "the commands of the plugin",
        text:
          "claude plugin marketplace add <repository>\n" +
          `claude plugin install commonplace@commonplace --config address=${url} --config api_key=cpk_…`,
      },
    },
  },
  {
    id: "claude-desktop",
    name: "Claude Desktop",
    steps: ["Put this into claude_desktop_config.json and restart Claude."],
    snippet: {
      label: "the configuration",
      text: json({ mcpServers: { commonplace: { command: "npx", args: ["-y", "mcp-remote", url] } } }),
    },
  },
  {
    id: "chatgpt",
    name: "ChatGPT",
    steps: [
      "In ChatGPT, open Settings → Apps & Connectors → Advanced and turn on Developer mode.",
      "Choose Create, paste this address, and choose OAuth.",
    ],
    snippet: { label: "the address", text: url },
    connectsFrom: "OpenAI",
  },
  {
    id: "cursor",
    name: "Cursor",
    steps: [
      "Choose Add to Cursor, or put this into ~/.cursor/mcp.json.",
      "Then choose Connect in Settings → MCP.",
    ],
    installLink: `cursor://anysphere.cursor-deeplink/mcp/install?name=commonplace&config=${encodeURIComponent(btoa(JSON.stringify({ url })))}`,
    snippet: { label: "the configuration", text: json({ mcpServers: { commonplace: { url } } }) },
  },
  {
    id: "vscode",
    name: "VS Code",
    steps: ["Choose Add to VS Code, or put this into .vscode/mcp.json and choose Start above the entry."],
    installLink: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: "commonplace", type: "http", url }))}`,
    snippet: { label: "the configuration", text: json({ servers: { commonplace: { type: "http", url } } }) },
  },
  {
    id: "other",
    name: "Other",
    steps: [
      "Give your client this address. If it supports OAuth, it opens the browser and asks you to allow access.",
      "Otherwise, create an API key below and send it as “Authorization: Bearer cpk_…”.",
    ],
    snippet: { label: "the address", text: url },
  },
];
