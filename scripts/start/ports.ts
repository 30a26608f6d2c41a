import { createServer } from "node:net";

const isFree = (port: number, host: string) =>
  new Promise<boolean>((answer) => {
    // Whoever connects in this moment is sent away: an open connection would keep the server from closing, for ever.
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => answer(false));
    server.listen(port, host, () => server.close(() => answer(true)));
  });

/** Whether a port is free, or becomes free within `patience` milliseconds. */
export async function waitForPort(port: number, host: string, patience: number): Promise<boolean> {
  const deadline = Date.now() + patience;
  for (;;) {
    if (await isFree(port, host)) return true;
    if (Date.now() >= deadline) return false;
    await new Promise((wake) => setTimeout(wake, 100));
  }
}
