import type { Words } from "../shape.ts";
import { counted } from "./count.ts";

export const compare: Words["compare"] = {
  title: "Vergleichen",
  with: "Vergleichen mit",
  go: "Vergleichen",
  missing: "Bitte eine Zone wählen.",
  unknown: "Eine Zone dieses Namens gibt es hier nicht.",
  same: "Das ist dieselbe Zone.",
  equal: (one, other) => `${one} und ${other} haben dieselben Einträge.`,
  equalOfSeen: (one, other) => `Soweit sichtbar, haben ${one} und ${other} dieselben Einträge.`,
  count: (_count, shown) => counted(shown, "Unterschied", "Unterschiede"),
  name: "Name",
  type: "Typ",
  none: "Fehlt",
  more: (count) => `und ${counted(count, "weiterer Unterschied", "weitere Unterschiede")}.`,
  emptyTitle: "Zwei Zonen nebeneinander",
  empty:
    "Eine andere View dieser Zone oder eine beliebige andere Zone wählen. Gezeigt wird, was nur eine von beiden hat und was sich unterscheidet.",
  table: "Unterschiede",
};
