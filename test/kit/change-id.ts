/** The numbers in a change id such as `57-59,61`. */
export const numbersIn = (change_id: string): number[] =>
  change_id.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    return part === "" ? [] : Array.from({ length: last - first + 1 }, (_, n) => first + n);
  });
