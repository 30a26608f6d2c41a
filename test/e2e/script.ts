import { spawn } from "node:child_process";
import { once } from "node:events";

type How = {
  cwd?: string;
  /** More environment variables; undefined removes one. */
  env?: Record<string, string | undefined>;
  /** Runs it as another user. */
  user?: number | undefined;
};

/** Starts a command without a terminal. */
export function begin([program = "", ...args]: string[], { cwd = ".", env = {}, user }: How = {}) {
  const child = spawn(program, args, {
    cwd,
    ...(user !== undefined && { uid: user, gid: user }),
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => printed.push(String(chunk)));
  const output = () => printed.join("");
  return {
    child,
    /** What it has printed so far. */
    output,
    /** Its exit code, null if a signal ended it, and everything that it printed. */
    ended: once(child, "close").then(([code]) => ({ code: code as number | null, output: output() })),
    /** Signals it and everything that it started, as a terminal does. It may have ended. */
    signal: (name: NodeJS.Signals) => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      process.kill(-child.pid, name);
    },
  };
}

/**
 * Starts one of scripts/.
 *
 * @param cwd the folder with wrangler.toml
 */
export const beginScript = (name: string, args: string[], env: Record<string, string>, cwd = ".") =>
  begin([process.execPath, "--disable-warning=ExperimentalWarning", `scripts/${name}.ts`, ...args], {
    cwd,
    env,
  });

/** Runs one of scripts/ to its end. */
export const runScript = (...parameters: Parameters<typeof beginScript>) => beginScript(...parameters).ended;
