/** For each query, the grades above 0 by document. */
export type Judgements = Map<string, Map<string, number>>;

export type Quality = { ndcg: number; mrr: number; recall: number; empty: number };

const CUT = 10;

/** Discounted cumulative gain at 10 (Järvelin, Kekäläinen 2002). */
const dcg = (grades: number[]) =>
  grades.slice(0, CUT).reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0);

/** Means of nDCG@10, MRR@10 and recall over all queries, and the number of queries without an answer. */
export function qualityOf(ranking: Map<string, string[]>, judgements: Judgements): Quality {
  const sum: Quality = { ndcg: 0, mrr: 0, recall: 0, empty: 0 };
  for (const [query, documents] of ranking) {
    const graded = judgements.get(query) ?? new Map<string, number>();
    const grades = documents.map((document) => graded.get(document) ?? 0);
    const first = grades.slice(0, CUT).findIndex((grade) => grade > 0);
    sum.ndcg += dcg(grades) / dcg([...graded.values()].sort((a, b) => b - a));
    sum.mrr += first < 0 ? 0 : 1 / (first + 1);
    sum.recall += grades.filter((grade) => grade > 0).length / graded.size;
    sum.empty += documents.length === 0 ? 1 : 0;
  }
  const { ndcg, mrr, recall, empty } = sum;
  return { ndcg: ndcg / ranking.size, mrr: mrr / ranking.size, recall: recall / ranking.size, empty };
}
