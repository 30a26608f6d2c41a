/** Whether a file may contain tasks of another program, judged by its name. */
export const mayBeTaskFile = (name: string): boolean => /\.(csv|json|ics|ical)$/i.test(name);
