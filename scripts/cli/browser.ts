import { spawn } from "node:child_process";

const OPENERS: Record<string, [string, ...string[]]> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a page in the person's browser, or in the program that the variable BROWSER names, and says where it is. */
export function openBrowser(url: string, why: string): void {
  console.error(`${why}: ${url}`);
  const { BROWSER: chosen } = process.env;
  const [file, ...args] = chosen ? [chosen] : (OPENERS[process.platform] ?? ["xdg-open"]);
  // Without a browser, the person opens the address that was printed.
  spawn(file, [...args, url], { stdio: "ignore", detached: true })
    .once("error", () => undefined)
    .unref();
}
