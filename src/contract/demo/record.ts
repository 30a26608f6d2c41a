const DAY = 86_400_000;

/** The instant so many days ago, in the morning; never in the future. */
export const ago = (days: number) => new Date(Date.now() - days * DAY - 3 * 3_600_000).toISOString();

export type Step = { step: string; wakes_in?: number; [field: string]: unknown };

/** `age` and `due` are days before and after today. */
export type DemoRecord = { age: number; due?: number; steps?: Step[]; [field: string]: unknown };

export const work = (project: string) => ({ scope: "work", project });
export const personal = { scope: "personal" };
export const done = (daysAgo: number, resolution_note: string): Step[] => [
  { step: "resolve", resolved_at: ago(daysAgo), resolution_note },
];
