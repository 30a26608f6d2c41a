import { factsOf } from "../text-index/facts.ts";

type Found = {
  topic: string;
  content: string;
  tags: string[];
  project: string | null;
  memory_type: string;
  due_date: string | null;
};

/** The texts and facts by which a record is found. Its project's name is found like a tag. */
export const entryOf = ({ topic, content, tags, project, ...record }: Found) => ({
  title: topic,
  tags: project === null ? tags : [...tags, project],
  text: content,
  facts: factsOf(record),
});
