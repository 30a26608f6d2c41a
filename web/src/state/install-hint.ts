import { toast } from "./toasts.ts";

// Loaded once the first screen is shown. Says once that the app can be installed, on a later day than the first one on this device.

/** Of browsers that can install. TypeScript has no type for it, because it is not a standard. */
type InstallEvent = Event & { prompt: () => Promise<unknown> };

/** Its value is the first day on this device, or SHOWN. */
const KEY = "install-hint";
const SHOWN = "shown";

function showOnce(text: string, install?: () => void): void {
  const today = new Date().toDateString();
  const before = localStorage.getItem(KEY);
  if (before === null) localStorage.setItem(KEY, today);
  if (before === null || before === today || before === SHOWN) return;
  localStorage.setItem(KEY, SHOWN);
  toast({ text, ...(install && { step: { name: "Install", run: install } }) });
}

const install = (event: Event) => () => void (event as InstallEvent).prompt();

/** `event`: of a browser that installs by itself. */
export const suggestInstalling = (event?: Event): void =>
  event
    ? showOnce("Install Commonplace to open it in its own window", install(event))
    : showOnce("To install Commonplace, tap Share, then “Add to Home Screen”");
