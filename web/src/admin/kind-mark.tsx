import type { CSSProperties } from "react";
import styles from "./admin.module.css";

/** The letters of a kind in a color of its own. Its name stands beside it, so readers of the screen need no name for it. */
export function KindMark({ kind, name }: { kind: string; name: string }) {
  return (
    <i className={styles["mark"]} style={{ "--hue": hueOf(kind) } as CSSProperties} aria-hidden>
      {lettersOf(name)}
    </i>
  );
}

/** Two letters: the first of the first two words, which may be joined as in DigitalOcean; or the first two of a single word. */
function lettersOf(name: string): string {
  const [first = "", second] = name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\d]+/gu) ?? [];
  return `${first.slice(0, second === undefined ? 2 : 1)}${second?.slice(0, 1) ?? ""}`.toUpperCase();
}

/** An angle on the color wheel. Kinds whose names are alike get different ones. */
function hueOf(kind: string): number {
  return Array.from(kind, (letter) => letter.charCodeAt(0)).reduce((sum, code) => (sum * 31 + code) % 360, 7);
}
