import { firstScreenLoaded } from "./first-screen.ts";

const suggest = (event?: Event): void =>
  void firstScreenLoaded
    .then(() => import("./install-hint.ts"))
    .then(({ suggestInstalling }) => suggestInstalling(event))
    .catch(() => undefined);

/** Without `preventDefault`, browsers go on showing their own button, and do not complain in the console. */
export function offerInstall(): void {
  addEventListener("beforeinstallprompt", suggest);
  // Safari on iOS has no such event, only this property.
  if ((navigator as { standalone?: boolean }).standalone === false) suggest();
}
