import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process of this machine. */
export type Process = { pid: number; parent: number; command: string };

function allProcesses(): Process[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => {
    const [pid, parent, ...command] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), command: command.join(" ") };
  });
}

/** A process and everything that it has started, in that order. */
export function processTree(root: number): Process[] {
  const all = allProcesses();
  const below = (pid: number): Process[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...below(child.pid)]);
  return [...all.filter(({ pid }) => pid === root), ...below(root)];
}

/** The process of a running service in which everything is computed. */
export const runtimeOf = (root: number): number =>
  processTree(root).find(({ command }) => /workerd\S* serve/.test(command))?.pid ?? Number.NaN;

/** The milliseconds that the busiest thread of a process has computed (Linux only, see proc_pid_schedstat). */
export const busiestThreadMs = (pid: number): number =>
  Math.max(
    ...readdirSync(`/proc/${pid}/task`).map(
      (task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6,
    ),
  );

/** The kernel counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** The milliseconds that all threads of a process have computed (Linux only, see proc_pid_stat(5)). */
export function processorTimeOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return TICK_MS * (Number(fields[11]) + Number(fields[12]));
}

const LISTENING = "0A";

/** The listening sockets by inode, see proc_net_tcp(5). */
function listeningSockets(): Map<string, number> {
  const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
    readFileSync(file, "utf8").trim().split("\n").slice(1),
  );
  const fields = rows.map((row) => row.trim().split(/\s+/)).filter((row) => row[3] === LISTENING);
  return new Map(fields.map((row) => [row[9] ?? "", Number.parseInt(row[1]?.split(":")[1] ?? "", 16)]));
}

/** The result of `read`, or nothing if the process or the file no longer exists. */
function unlessGone<Value>(read: () => Value[]): Value[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** The megabytes of these processes, with shared pages divided among those that share them (PSS). Linux only. */
export function memoryOfAll(processes: Process[]): number {
  const kilobytes = processes.flatMap(({ pid }) =>
    unlessGone(() => {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
      return [Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)];
    }),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1000;
}

/** The same of a process and everything that it has started. Undefined except on Linux. */
export const memoryOf = (root: number): number | undefined =>
  process.platform === "linux" ? memoryOfAll(processTree(root)) : undefined;

function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const names = unlessGone(() => readdirSync(folder));
  return names.flatMap((name) => unlessGone(() => [readlinkSync(`${folder}/${name}`)]));
}

/** The TCP ports on which a process or one that it has started listens. Linux only. */
export function listeningPorts(root: number): number[] {
  const sockets = listeningSockets();
  const inodes = processTree(root).flatMap(({ pid }) =>
    openFiles(pid).map((name) => /^socket:\[(\d+)\]$/.exec(name)?.[1] ?? ""),
  );
  return [...new Set(inodes.flatMap((inode) => sockets.get(inode) ?? []))];
}
