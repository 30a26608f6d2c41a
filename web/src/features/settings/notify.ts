import { pushApi } from "../../api/reminders.ts";

// Push notifications in this browser about what is due today.

/** Whether this browser can show notifications. They need a service worker, which only a built app over HTTPS has. */
export const supportsNotifications = () =>
  "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

const registration = () => navigator.serviceWorker.getRegistration();

/** This browser's subscription, if the server still has it. */
export async function findSubscription(): Promise<{ id: string } | null> {
  const local = await (await registration())?.pushManager.getSubscription();
  if (!local) return null;
  const { items } = await pushApi.list();
  return items.find(({ endpoint }) => endpoint === local.endpoint) ?? null;
}

/** Asks for permission and subscribes this browser. Throws if the browser or the user refuses. */
export async function startNotifying(): Promise<void> {
  const worker = await registration();
  if (!worker)
    throw new Error("This browser has not finished installing the app. Reload the page and try again.");
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("Notifications from this site are blocked. Allow them in the browser’s settings.");
  const { public_key } = await pushApi.list();
  const options = { userVisibleOnly: true, applicationServerKey: public_key };
  // A subscription with the key of another deployment must be removed first.
  const subscribed = await worker.pushManager.subscribe(options).catch(async () => {
    await (await worker.pushManager.getSubscription())?.unsubscribe();
    return worker.pushManager.subscribe(options);
  });
  await pushApi.subscribe(subscribed.toJSON());
}

export async function stopNotifying(): Promise<void> {
  const subscription = await findSubscription();
  if (subscription) await pushApi.unsubscribe(subscription.id);
  await (await (await registration())?.pushManager.getSubscription())?.unsubscribe();
}
