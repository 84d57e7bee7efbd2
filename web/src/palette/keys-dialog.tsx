import { Dialog } from "../ui/dialog.tsx";
import { paletteWords } from "../words/palette.ts";
import styles from "./palette.module.css";

const text = paletteWords;

interface KeysDialogProps {
  /** Whether shortcuts use ⌘. */
  mac: boolean;
  onClose: () => void;
}

/** What the keyboard does. */
export function KeysDialog({ mac, onClose }: KeysDialogProps) {
  const control = mac ? "⌘" : text.strokes.control;
  const alt = mac ? "⌥" : "Alt";
  const { names, groups, strokes } = text;
  const all: readonly (readonly [title: string, keys: readonly (readonly [name: string, ...keys: string[]])[]])[] = [
    [
      groups.everywhere,
      [
        [names.palette, control, "K"],
        [names.keys, "?"],
        [names.close, "Esc"],
      ],
    ],
    [
      groups.domains,
      [
        [names.addDomain, alt, "N"],
        [names.filter, "/"],
      ],
    ],
    [
      groups.grid,
      [
        [names.move, "↑", "↓", "←", "→", strokes.pageUp, strokes.pageDown],
        [names.edit, strokes.enter],
        [names.find, "A–Z"],
        [names.add, alt, "N"],
        [names.remove, alt, "D"],
        [names.select, strokes.space],
        [names.selectAll, control, "A"],
        [names.menu, strokes.shift, "F10"],
        [names.ttl, alt, "T"],
        [names.value, alt, "V"],
        [names.copy, control, "C"],
        [names.paste, control, "V"],
        [names.filter, "/"],
        [names.undo, control, "Z"],
        [names.redo, control, strokes.shift, "Z"],
        [names.apply, control, strokes.enter],
      ],
    ],
    [groups.timeline, [[names.otherChange, "←", "→"]]],
  ];
  return (
    <Dialog open onClose={onClose} title={text.keysTitle}>
      <div className={styles["keys"]}>
        {all.map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([name, ...strokes]) => (
                <Key key={name} name={name} strokes={strokes} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Key({ name, strokes }: { name: string; strokes: readonly string[] }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {strokes.map((stroke) => (
          <kbd key={stroke}>{stroke}</kbd>
        ))}
      </dd>
    </>
  );
}
