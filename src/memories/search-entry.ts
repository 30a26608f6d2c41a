type Said = { topic: string; content: string; tags: string[]; project: string | null };

/** The texts by which a record is found. Its project's name is found like a tag. */
export const entryOf = ({ topic, content, tags, project }: Said) => ({
  title: topic,
  tags: project === null ? tags : [...tags, project],
  text: content,
});
