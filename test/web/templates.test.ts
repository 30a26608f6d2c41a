import { expect, test } from "vitest";
import { fillPlaceholders, fillTemplate } from "../../web/src/features/templates/beginning.ts";

const AT = "2026-11-23T11:05:00.000Z";

test.for([
  ["Pacific/Auckland", "2026-11-24 00:05"],
  ["Europe/Berlin", "2026-11-23 12:05"],
  ["America/New_York", "2026-11-23 06:05"],
  ["Asia/Kathmandu", "2026-11-23 16:50"],
])("the date and the time of a template are those in %s", ([timezone = "", expected]) => {
  expect(fillPlaceholders("{date} {time}", timezone, new Date(AT))).toBe(expected);
});

test("what else is in braces stays as it is written, and signs in the text have no meaning", () => {
  const text = "{Date} {date } {{date}} {time}$& {name} $& \\{date\\}";
  expect(fillPlaceholders(text, "UTC", new Date(AT))).toBe(
    "{Date} {date } {2026-11-23} 11:05$& {name} $& \\{date\\}",
  );
});

test("a document begins with all that its template has, but for what an import noted of that", () => {
  const template = {
    ...({ id: "1", version: 3, folder_id: "2", source_type: "web", created_at: AT } as const),
    ...{ updated_at: AT, changed_at: AT },
    ...{ title: "Plan", tags: ["a"] },
    content: { format: "text", text: "x", place: "Rome", imported: { origin: 1, checksum: 2 } },
  };
  expect(fillTemplate(template, "UTC")).toEqual({
    ...{ title: "Plan", text: "x", kind: "text", tags: ["a"] },
    content: { format: "text", text: "x", place: "Rome" },
  });
  const { content: _, ...empty } = template;
  expect(fillTemplate(empty, "UTC")).toMatchObject({ text: "", content: { format: "markdown", text: "" } });
});
