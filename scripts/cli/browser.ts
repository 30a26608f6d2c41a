import { spawn } from "node:child_process";

const OPENERS: Record<string, [string, ...string[]]> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a page in the default browser, or in the program named by BROWSER, and prints its address. */
export function openBrowser(url: string, why: string): void {
  console.error(`${why}: ${url}`);
  const { BROWSER: chosen } = process.env;
  const [file, ...args] = chosen ? [chosen] : (OPENERS[process.platform] ?? ["xdg-open"]);
  // Without a browser, the user opens the printed address.
  spawn(file, [...args, url], { stdio: "ignore", detached: true })
    .once("error", () => undefined)
    .unref();
}
