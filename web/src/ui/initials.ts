const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Returns one or two letters that stand for a person: the first of the first and last word, or the first two of a single word. */
export function initialsOf(name: string): string {
  const parts = name.split(/[\s._-]+/u).filter((part) => part !== "");
  const [first = "", ...rest] = parts;
  const last = rest.at(-1);
  const letters = last === undefined ? graphemes(first).slice(0, 2) : [graphemes(first)[0], graphemes(last)[0]];
  return letters.join("").toLocaleUpperCase();
}

function graphemes(text: string): string[] {
  return [...segmenter.segment(text.slice(0, 64))].map(({ segment }) => segment);
}
