import { random as generator } from "../test/kit/random.ts";

// Generated texts, the same in every run. Words are distributed as in a natural language (Zipf's law).

const VOCABULARY = 5000;
const WORDS = 120;

const SYLLABLES = ["ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo"];

/** The word with this rank; a lower rank is more frequent. */
function wordOf(rank: number): string {
  const word: string[] = [];
  for (let rest = rank + 14; rest > 0; rest = Math.floor(rest / 14)) word.push(SYLLABLES[rest % 14] ?? "");
  return word.join("");
}

const draw = (random: () => number, vocabulary = VOCABULARY) =>
  wordOf(Math.floor(vocabulary ** random()) - 1);

const words = (random: () => number, count: number) =>
  Array.from({ length: count }, () => draw(random)).join(" ");

/** The document with this number. */
export function makeDocument(number: number) {
  const random = generator(number + 1);
  const text = words(random, WORDS);
  return { title: words(random, 5), tags: [words(random, 1)], text };
}

/** The query with this number: `count` words, distributed as in the texts. */
export const makeQuery = (number: number, count = 3) => words(generator(1e6 + number), count);

/** As many different words as a long text has. */
const LONG_VOCABULARY = 50_000;

/** A long text with this number, of about `characters` characters. */
export function makeLongText(number: number, characters: number): string {
  const random = generator(number + 1);
  const text: string[] = [];
  for (let length = 0; length < characters; length += (text.at(-1)?.length ?? 0) + 1)
    text.push(draw(random, LONG_VOCABULARY));
  return text.join(" ");
}

/** The most frequent words, as many as fit. */
export function frequentWords(characters: number, between = " "): string {
  let text = wordOf(0);
  for (let rank = 1; ; rank++) {
    const longer = text + between + wordOf(rank);
    if (longer.length > characters) return text;
    text = longer;
  }
}

const lettersOf = (letters: string) => (random: () => number) =>
  Array.from(
    { length: 2 + Math.floor(random() * 8) },
    () => letters[Math.floor(random() * letters.length)],
  ).join("");

const oneOf = (list: string[]) => (random: () => number) => list[Math.floor(random() * list.length)] ?? "";

// Real words, because ICU finds the ends of words with a dictionary.
const CHINESE =
  "我们 中国 大学 学生 工作 公司 城市 问题 时间 电脑 图书馆 今天 明天 朋友 老师 学习 研究 科学 技术 语言 文章 世界 国家 历史 经济 音乐 电影 天气 火车 飞机 医院 健康 是 的 在 有 和 了 不 很 也 都";

const SCRIPTS = {
  Latin: { word: lettersOf("abcdefghiklmnoprstuvwz"), between: " ", length: 6.5 },
  Cyrillic: { word: lettersOf("абвгдежзиклмнопрстухя"), between: " ", length: 6.5 },
  Chinese: { word: oneOf(CHINESE.split(" ")), between: "", length: 1.8 },
};

/** A text of about `characters` characters; in scripts with spaces most of its words occur only once. */
export function makeText(script: keyof typeof SCRIPTS, characters: number): string {
  const { word, between, length } = SCRIPTS[script];
  const random = generator(characters);
  return Array.from({ length: Math.round(characters / length) }, () => word(random)).join(between);
}
