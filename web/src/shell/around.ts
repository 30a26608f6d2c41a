import { type ComponentType, lazy } from "react";
import { firstAnswers } from "../state/first-answers.ts";

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

/** For parts around the screens: if one fails to load offline, it renders nothing and the screens stay usable. */
export const around = <Props = object>(load: Load<Props>) =>
  lazy<ComponentType<Props>>(() => load().catch(() => ({ default: () => null })));

/** The same, loaded after the first screen is shown. */
export const aroundLater = <Props = object>(load: Load<Props>) =>
  around<Props>(() => firstAnswers.then(load));
