/** Whether a file may contain tasks of another program, judged by its name. */
export const mayHaveTasks = (name: string): boolean => /\.(csv|json|ics|ical)$/i.test(name);
