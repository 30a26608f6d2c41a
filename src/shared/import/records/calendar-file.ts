import ICAL from "ical.js";
import { addDays } from "../../../contract/days.ts";
import { writeRule } from "../../../contract/repeat/rule.ts";
import { errorMessage, hexDigest, type ImportProblem } from "../item.ts";
import { readAlarms } from "./calendar-alarms.ts";
import { type CalendarPart, splitCalendar } from "./calendar-parts.ts";
import { excludedDaysAfter, firstDayFrom, readRepetition } from "./calendar-rule.ts";
import { type LocalTime, readTimeZones, type TimeZones, toInstant, toLocalTime } from "./calendar-times.ts";
import type { ImportedTask, Priority, TaskSchedule } from "./task.ts";
import type { ReadTasks, TaskFileContext } from "./todoist-csv.ts";

// A calendar file (.ics, RFC 5545): its tasks (VTODO) and its events (VEVENT), which are due when they begin. Past events are
// imported as resolved.

/** Properties that are imported or technical. Others are reported. */
const KNOWN_PROPERTIES = new Set(
  (
    "summary description location url categories status completed created dtstamp last-modified sequence uid recurrence-id " +
    "dtstart dtend due duration rrule rdate exdate priority organizer attendee contact comment attach related-to class transp " +
    "percent-complete"
  ).split(" "),
);

const LABELLED_PROPERTIES: readonly [property: string, name: string][] = [
  ["location", "Where"],
  ["url", "Link"],
  ["organizer", "Organizer"],
  ["attendee", "With"],
  ["contact", "Contact"],
  ["comment", "Comment"],
  ["attach", "Attachment"],
];

/** The priorities of RFC 5545 (3.8.1.9) that match ours exactly. Other numbers are also written into the text. */
const EXACT_PRIORITIES: Record<string, Priority> = { 1: "high", 5: "normal", 9: "low" };
const PRIORITIES: readonly Priority[] = [
  ...Array<Priority>(4).fill("high"),
  "normal",
  ...Array<Priority>(4).fill("low"),
];

const priorityIn = (component: ICAL.Component) => String(component.getFirstPropertyValue("priority") ?? "");

function propertyText(property: ICAL.Property): string {
  const name = property.getFirstParameter("cn");
  const value = String(property.getFirstValue()).replace(/^mailto:/i, "");
  if (property.type === "binary")
    return `${property.getFirstParameter("filename") ?? "a file"} (the file itself was not imported)`;
  return name && name !== value ? `${name} (${value})` : value;
}

function describedTexts(component: ICAL.Component): string[] {
  const texts = LABELLED_PROPERTIES.flatMap(([property, name]) => {
    const values = component.getAllProperties(property).map(propertyText).filter(Boolean);
    return values.length > 0 ? [`${name}: ${values.join(", ")}`] : [];
  });
  const priority = priorityIn(component);
  const isWhole = EXACT_PRIORITIES[priority] !== undefined || PRIORITIES[Number(priority) - 1] === undefined;
  return [
    ...component.getAllProperties("description").map((property) => String(property.getFirstValue())),
    ...texts,
    ...(isWhole ? [] : [`Priority: ${priority} of 9`]),
  ];
}

function unknownProperties(component: ICAL.Component): string[] {
  const names = component
    .getAllProperties()
    .map(({ name }) => name)
    .filter((name) => !KNOWN_PROPERTIES.has(name));
  return [...new Set(names)].map((name) => `${name.toUpperCase()} was not imported`);
}

type Times = { start: LocalTime | undefined; end: LocalTime | undefined; due: LocalTime | undefined };

function readTimes(component: ICAL.Component, kind: CalendarPart["kind"], zones: TimeZones): Times {
  const at = (name: string) => {
    const property = component.getFirstProperty(name);
    const time = property?.getFirstValue();
    return time instanceof ICAL.Time ? toLocalTime(time, property, zones) : undefined;
  };
  const start = at("dtstart");
  const end = at(kind === "VEVENT" ? "dtend" : "due");
  return { start, end, due: kind === "VEVENT" ? start : (end ?? start) };
}

/** "Until 18:00", if an event has an end. */
function endText(component: ICAL.Component, { start, end }: Times): string[] {
  const duration = component.getFirstPropertyValue("duration");
  if (duration) return [`Takes: ${String(duration)}`];
  if (!start || !end) return [];
  if (end.time)
    return end.day === start.day && end.time === start.time
      ? []
      : [`Until ${end.day === start.day ? "" : `${end.day} `}${end.time}`];
  // The end of whole days is the day after the last one (RFC 5545, section 3.6.1).
  const last = addDays(end.day, -1);
  return last > start.day ? [`Until ${last}`] : [];
}

type ReadComponent = {
  component: ICAL.Component;
  part: CalendarPart;
  times: Times;
  zones: TimeZones;
  context: TaskFileContext;
};

function endOfPastEvent({ part, times: { start, end }, context: { now, timezone } }: ReadComponent) {
  const last = end ?? (start?.time ? start : start && { ...start, day: addDays(start.day, 1) });
  const at = part.kind === "VEVENT" && last ? toInstant(last, timezone) : undefined;
  return at !== undefined && at <= now ? at : undefined;
}

type ReadSchedule = TaskSchedule & Pick<ImportedTask, "texts" | "notes"> & { endedAt?: string | undefined };

/** When it is due and how it repeats. Repeating events are due on their next day. */
function readSchedule(read: ReadComponent): ReadSchedule {
  const { component, part, times, zones, context: around } = read;
  const { due, start } = times;
  if (!due) return { texts: [], notes: [] };
  const once = { due_date: due.day, due_time: due.time, endedAt: endOfPastEvent(read) };
  const { rule, leavesOut, texts, notes } = readRepetition(component, due, zones);
  if (!rule) return { ...once, texts, notes };
  const anchor = due.day;
  const isShifted = part.kind === "VTODO" && start !== undefined && start.day !== due.day;
  if (isShifted)
    return {
      ...once,
      texts: [`Repeats: ${writeRule(rule)}, counted from ${start.day}`],
      notes: [`its rule counts from ${start.day} and not from its due date, so the record does not repeat`],
    };
  const from = part.kind === "VEVENT" && around.today > anchor ? around.today : anchor;
  const due_date = part.kind === "VEVENT" ? firstDayFrom(rule, { anchor, from, leavesOut }) : anchor;
  if (due_date === undefined) return { ...once, texts: [`Repeated: ${writeRule(rule)}`], notes };
  const without = excludedDaysAfter(due_date, leavesOut);
  return {
    due_date,
    due_time: due.time,
    repeat: writeRule(rule),
    repeat_start: anchor,
    texts: [...texts, ...without.texts],
    notes: [...notes, ...without.notes],
  };
}

const instantIn = (component: ICAL.Component, name: string): string | undefined => {
  const time = component.getFirstPropertyValue(name);
  return time instanceof ICAL.Time ? time.toJSDate().toISOString() : undefined;
};

function readClosing({ component }: ReadComponent, endedAt: string | undefined): ImportedTask["closed"] {
  const status = String(component.getFirstPropertyValue("status") ?? "").toUpperCase();
  const at = instantIn(component, "completed") ?? instantIn(component, "last-modified");
  if (status === "COMPLETED" || component.hasProperty("completed")) return { as: "resolved", at };
  if (status === "CANCELLED") return { as: "archived", at };
  return endedAt ? { as: "resolved", at: endedAt } : undefined;
}

function taskKey({ component, part }: ReadComponent): string {
  const uid = component.getFirstPropertyValue("uid");
  const day = component.getFirstPropertyValue("recurrence-id");
  return uid ? `ics ${String(uid)} ${String(day ?? "")}` : `ics ${hexDigest(part.text)}`;
}

const tagsOf = (component: ICAL.Component) =>
  component.getAllProperties("categories").flatMap((property) => property.getValues().map(String));

function readTask(read: ReadComponent): ImportedTask {
  const { component, part, times, zones } = read;
  const { texts, notes, endedAt: over, ...when } = readSchedule(read);
  const { due } = times;
  const alarms = due ? readAlarms(component, { ...times, due, zones }) : { remind: [], notes: [] };
  return {
    where: `line ${part.line}`,
    key: taskKey(read),
    ...when,
    topic: String(component.getFirstPropertyValue("summary") ?? ""),
    texts: [...describedTexts(component), ...endText(component, times), ...texts],
    project: part.calendar,
    tags: tagsOf(component),
    priority: PRIORITIES[Number(priorityIn(component)) - 1],
    remind: alarms.remind,
    closed: readClosing(read, over),
    created_at: instantIn(component, "created"),
    notes: [...notes, ...alarms.notes, ...unknownProperties(component)],
  };
}

/** Reads a calendar file. Throws for other files. */
export function readCalendar(text: string, context: TaskFileContext): ReadTasks {
  const { parts, zones: described, refused, leftOut } = splitCalendar(text);
  const zones = { timezone: context.timezone, known: readTimeZones(described) };
  const unread: ImportProblem[] = [];
  const tasks = parts.flatMap((part): ImportedTask[] => {
    try {
      const component = new ICAL.Component(ICAL.parse(part.text));
      return [readTask({ component, part, zones, context, times: readTimes(component, part.kind, zones) })];
    } catch (problem) {
      unread.push({ where: `line ${part.line}`, why: errorMessage(problem) });
      return [];
    }
  });
  return { tasks, refused: [...refused, ...unread], leftOut };
}
