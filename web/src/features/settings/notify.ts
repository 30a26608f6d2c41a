import { pushApi } from "../../api/push.ts";

// Notifications of this browser about what is due today.

/** Whether this browser can show them: it needs the service worker, which only a built app over https has. */
export const canNotify = () =>
  "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

const registration = () => navigator.serviceWorker.getRegistration();

/** This browser's subscription, if the service still has it. */
export async function findSubscription(): Promise<{ id: string } | null> {
  const own = await (await registration())?.pushManager.getSubscription();
  if (!own) return null;
  const { items } = await pushApi.list();
  return items.find(({ endpoint }) => endpoint === own.endpoint) ?? null;
}

/** Asks the person, and subscribes this browser. Throws when the browser or the person refuses. */
export async function startNotifying(): Promise<void> {
  const worker = await registration();
  if (!worker)
    throw new Error("This browser has not finished installing the app: reload the page and try again");
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("The browser does not allow notifications from this site: allow them in its settings");
  const { public_key } = await pushApi.list();
  const options = { userVisibleOnly: true, applicationServerKey: public_key };
  // A subscription with another deployment's key must end first.
  const subscribed = await worker.pushManager.subscribe(options).catch(async () => {
    await (await worker.pushManager.getSubscription())?.unsubscribe();
    return worker.pushManager.subscribe(options);
  });
  await pushApi.subscribe(subscribed.toJSON());
}

/** Ends the subscription of this browser. */
export async function stopNotifying(): Promise<void> {
  const subscription = await findSubscription();
  if (subscription) await pushApi.unsubscribe(subscription.id);
  await (await (await registration())?.pushManager.getSubscription())?.unsubscribe();
}
