import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";

// The hook of Claude Code and Codex: JSON on stdin, JSON on stdout, always exit code 0. It never stands in the way: after
// two seconds, or without a network, it says nothing. Node 18 or newer, no dependencies.

const WHOLE_MS = 2000;
const ANSWER_MS = 1700;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_BYTES = 64 * 1024;
const MAX_NAMES = 8;
const MAX_NAME = 200;

const ASK =
  "If the user promised, decided or was blocked by something in this conversation, or stated a lasting preference, and it is " +
  "not yet a record, call remember (Commonplace) once for all of them, with due dates. Otherwise do nothing and do not mention this.";

const FOR_SUMMARY =
  "Keep in the summary, word for word, what the user promised, decided or prefers and what is not yet remembered in " +
  "Commonplace, so that it can be remembered.";

/** A setting of the plugin as Claude Code passes it, or of the environment, for Codex. */
const setting = (name) =>
  (process.env[`CLAUDE_PLUGIN_OPTION_${name}`] || process.env[`COMMONPLACE_${name}`] || "").trim();

/** A small file's text. A repository of somebody else may have anything there, such as a pipe that never ends. */
const read = (path) => {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= MAX_BYTES ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
};

const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Walks up from a folder to the one with `.git`; the folder itself if there is none. */
function rootOf(folder) {
  for (let at = folder; ; at = dirname(at)) {
    if (statSync(join(at, ".git"), { throwIfNoEntry: false })) return at;
    if (at === dirname(at)) return folder;
  }
}

/** The folder with the repository's configuration, also of a worktree, whose `.git` is a file. */
function gitFolder(root) {
  const path = join(root, ".git");
  if (isFolder(path)) return path;
  const [, own] = /^gitdir: (.+)$/m.exec(read(path) ?? "") ?? [];
  if (!own) return undefined;
  const folder = resolve(root, own.trim());
  return resolve(folder, (read(join(folder, "commondir")) ?? ".").trim());
}

/** The name of the repository at its remote: `apollo` of `git@host:team/apollo.git`. */
function remoteName(root) {
  const folder = gitFolder(root);
  const config = folder && read(join(folder, "config"));
  const [, section] = /^\[remote "origin"\]([^[]*)/m.exec(config ?? "") ?? [];
  const [, url] = /^\s*url\s*=\s*(\S+)\s*$/m.exec(section ?? "") ?? [];
  return url
    ?.replace(/[/\\]+$/, "")
    .replace(/\.git$/, "")
    .split(/[/\\:]/)
    .pop();
}

/** What the project may be called, what the person has said first. */
function projectNames(cwd) {
  const root = rootOf(cwd);
  const [said] = (read(join(root, ".commonplace")) ?? "").split("\n");
  const names = [said, setting("PROJECT"), remoteName(root), basename(root), basename(cwd)];
  const given = names.map((name) => name?.trim()).filter((name) => name && name.length <= MAX_NAME);
  return [...new Set(given)].slice(0, MAX_NAMES);
}

async function textOf(response) {
  const parts = [];
  let size = 0;
  for await (const part of response.body) {
    size += part.length;
    if (size > MAX_BYTES) throw new Error("too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

const isHome = (folder) => resolve(folder) === resolve(homedir());

/** What a conversation begins with: the briefing, or that its key has ended. Nothing without a key or a network. */
async function briefing(cwd) {
  const key = setting("API_KEY");
  if (!key) return {};
  const url = new URL("/api/briefing", setting("ADDRESS") || "http://localhost:8001/mcp");
  for (const name of isHome(cwd) ? [] : projectNames(cwd)) url.searchParams.append("project", name);
  const response = await fetch(url, {
    headers: { Authorization: `Bearer ${key}` },
    redirect: "error",
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  if (response.status === 401 || response.status === 403)
    return {
      systemMessage: `Commonplace: ${url.host} does not accept the API key for the briefing. Create another one there, under Connections.`,
    };
  return response.ok ? { additionalContext: await textOf(response) } : {};
}

/** Where it is noted when a conversation was asked: in a folder of this user's, where nobody else can write. */
function notesFolder() {
  const { CLAUDE_PLUGIN_DATA, PLUGIN_DATA, XDG_CACHE_HOME } = process.env;
  return (
    CLAUDE_PLUGIN_DATA || PLUGIN_DATA || join(XDG_CACHE_HOME || join(homedir(), ".cache"), "commonplace")
  );
}

const NOTE = /^[0-9a-f]{32}$/;

/** Whether a conversation may be asked now: once an hour. Notes that it was. */
function mayAsk(session) {
  const folder = join(notesFolder(), "asked");
  const note = join(folder, createHash("sha256").update(session).digest("hex").slice(0, 32));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const age = (path) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  for (const name of readdirSync(folder).filter((one) => NOTE.test(one)))
    if (age(join(folder, name)) > DAY_MS) rmSync(join(folder, name), { force: true });
  if (age(note) < HOUR_MS) return false;
  writeFileSync(note, "");
  return true;
}

async function atStart({ cwd, source, session_id }) {
  const { systemMessage, additionalContext } = await briefing(cwd);
  const asked = source === "compact" && mayAsk(session_id) ? [ASK] : [];
  const text = [...(additionalContext ? [additionalContext] : []), ...asked].join("\n");
  const hookSpecificOutput = { hookEventName: "SessionStart", additionalContext: text };
  return { ...(systemMessage && { systemMessage }), ...(text && { hookSpecificOutput }) };
}

/** Codex tells its model nothing here; its conversation is asked when it begins again, after the summary. */
const beforeSummary = ({ turn_id }) => (turn_id === undefined ? FOR_SUMMARY : undefined);

const atStop = ({ session_id, stop_hook_active }) =>
  !stop_hook_active && mayAsk(session_id) ? { decision: "block", reason: ASK } : undefined;

const EVENTS = { SessionStart: atStart, PreCompact: beforeSummary, Stop: atStop };

async function main() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const sent = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  const event = Object.hasOwn(EVENTS, sent.hook_event_name) ? EVENTS[sent.hook_event_name] : undefined;
  const { cwd = process.cwd(), session_id = "" } = sent;
  const answer = await event?.({ ...sent, cwd: String(cwd), session_id: String(session_id) });
  const isEmpty = answer === undefined || Object.keys(answer).length === 0;
  if (!isEmpty) process.stdout.write(typeof answer === "string" ? `${answer}\n` : JSON.stringify(answer));
}

setTimeout(() => process.exit(0), WHOLE_MS).unref();
// What fails here must not disturb a conversation, and there is nobody to tell.
main().then(
  () => process.stdout.write("", () => process.exit(0)),
  () => process.exit(0),
);
