const DAY = 86_400_000;

/** The instant this many days and three hours ago. */
export const daysAgo = (days: number) => new Date(Date.now() - days * DAY - 3 * 3_600_000).toISOString();

export type DemoStep = { step: string; wakes_in?: number; [field: string]: unknown };

/** `age`: created this many days ago. `due`: due this many days from today. */
export type DemoRecord = { age: number; due?: number; steps?: DemoStep[]; [field: string]: unknown };

export const workFields = (project: string) => ({ scope: "work", project });
export const personalFields = { scope: "personal" };
export const resolveStep = (days: number, resolution_note: string): DemoStep[] => [
  { step: "resolve", resolved_at: daysAgo(days), resolution_note },
];
