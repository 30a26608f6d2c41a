import ical, { ICalEventTransparency } from "ical-generator";

export type DueDate = {
  id: number;
  /** The id of the record's owner: record numbers are unique per user only. */
  owner: string;
  topic: string;
  content: string;
  due_date: string;
  updated_at: string;
};

const NAME = "Due dates";

/** RFC 5545. Events, because the large calendars do not show the VTODOs of a subscribed feed. */
export function calendarOf(items: DueDate[], host: string): string {
  const calendar = ical({ name: NAME, prodId: { company: "commonplace", product: "dashboard" }, ttl: 3600 });
  for (const { id, owner, topic, content, due_date, updated_at } of items) {
    calendar.createEvent({
      id: `memory-${id}-${owner}@${host}`,
      start: new Date(`${due_date}T00:00:00Z`),
      allDay: true,
      summary: topic,
      description: content,
      stamp: new Date(updated_at),
      lastModified: new Date(updated_at),
      transparency: ICalEventTransparency.TRANSPARENT,
    });
  }
  return calendar.toString();
}
