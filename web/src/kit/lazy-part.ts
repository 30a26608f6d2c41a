import { type ComponentType, lazy } from "react";
import { firstScreenLoaded } from "../state/first-screen.ts";

type PartLoader<Props> = () => Promise<{ default: ComponentType<Props> }>;

/** For parts around the screens: if one fails to load offline, it renders nothing and the screens stay usable. */
export const lazyPart = <Props = object>(load: PartLoader<Props>) =>
  lazy<ComponentType<Props>>(() => load().catch(() => ({ default: () => null })));

/** The same, loaded after the first screen is shown. */
export const lazyPartLater = <Props = object>(load: PartLoader<Props>) =>
  lazyPart<Props>(() => firstScreenLoaded.then(load));
