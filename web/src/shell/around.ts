import { type ComponentType, lazy } from "react";
import { firstAnswers } from "../state/first-answers.ts";

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

/** What surrounds the screens may fail to load without a network; the screens must not go with it. */
export const around = <Props = object>(load: Load<Props>) =>
  lazy<ComponentType<Props>>(() => load().catch(() => ({ default: () => null })));

/** The same, for what nobody waits for. */
export const aroundLater = <Props = object>(load: Load<Props>) =>
  around<Props>(() => firstAnswers.then(load));
