const DAY = 86_400_000;

/** The instant this many days and three hours ago. */
export const ago = (days: number) => new Date(Date.now() - days * DAY - 3 * 3_600_000).toISOString();

export type Step = { step: string; wakes_in?: number; [field: string]: unknown };

/** `age`: created this many days ago. `due`: due this many days from today. */
export type DemoRecord = { age: number; due?: number; steps?: Step[]; [field: string]: unknown };

export const work = (project: string) => ({ scope: "work", project });
export const personal = { scope: "personal" };
export const done = (days: number, resolution_note: string): Step[] => [
  { step: "resolve", resolved_at: ago(days), resolution_note },
];
