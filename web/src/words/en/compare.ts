export const compare = {
  title: "Compare",
  with: "Compare with",
  go: "Compare",
  missing: "Choose a zone.",
  unknown: "You have no zone of this name.",
  same: "This is the same zone.",
  equal: (one: string, other: string) => `${one} and ${other} have the same records.`,
  equalOfSeen: (one: string, other: string) =>
    `Of the records that you see in both, ${one} and ${other} have the same.`,
  count: (count: number, shown: string) => (count === 1 ? "1 difference" : `${shown} differences`),
  name: "Name",
  type: "Type",
  none: "Not there",
  more: (count: string) => `and ${count} more differences.`,
  emptyTitle: "Set two zones side by side",
  empty: "Choose another view of this zone, or any other zone. You see what only one of them has, and what differs.",
  table: "Differences",
};
