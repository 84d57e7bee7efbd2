import { Dialog } from "../ui/dialog.tsx";
import { recordsWords } from "../words/records.ts";
import styles from "./keys.module.css";

const text = recordsWords;

const keys: readonly (readonly [keys: string, what: keyof typeof text.keys])[] = [
  ["↑ ↓ ← → PgUp PgDn", "move"],
  ["Enter", "edit"],
  ["N", "add"],
  ["D", "remove"],
  ["Space", "select"],
  ["Ctrl A", "selectAll"],
  ["T", "ttl"],
  ["V", "value"],
  ["Ctrl C", "copy"],
  ["/", "filter"],
  ["Ctrl Z", "undo"],
  ["Ctrl Enter", "review"],
  ["?", "keys"],
];

/** The keys of the grid. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title={text.keysTitle}>
      <dl className={styles["keys"]}>
        {keys.map(([shown, what]) => (
          <div key={what}>
            <dt>
              <kbd>{shown}</kbd>
            </dt>
            <dd>{text.keys[what]}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
