// Makes a briefing that fits into a model's attention.

export type BriefingItem = {
  id: number;
  topic: string;
  content?: string;
  project?: string;
  due_date?: string;
  days_overdue?: number;
  days_stale?: number;
  days_ago?: number;
};

export type Section = { items: BriefingItem[]; total: number; has_more: boolean };

/**
 * At most how many tokens a text costs: a third of its ASCII letters and half of its other bytes, which common
 * tokenizers stay under for JSON and for every script.
 */
export function estimateTokens(text: string): number {
  const bytes = new TextEncoder().encode(text).length;
  const ascii = text.replace(/[^\x20-\x7e]/g, "").length;
  return Math.ceil(ascii / 3 + (bytes - ascii) / 2);
}

const cost = (value: unknown) => estimateTokens(JSON.stringify(value));

/** The section whose items cost most. */
const longest = (sections: Section[]) => sections.reduce((a, b) => (cost(b.items) > cost(a.items) ? b : a));

/** Leaves out the last items of the longest sections until the whole fits the budget; totals stay. */
export function fitBriefing<Briefing extends Record<string, unknown>>(
  briefing: Briefing,
  sections: Section[],
  budget: number,
): Briefing {
  while (cost(briefing) > budget && sections.some(({ items }) => items.length > 0)) {
    const section = longest(sections);
    section.items.pop();
    section.has_more = true;
  }
  return briefing;
}
