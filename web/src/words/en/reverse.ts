export const reverse = {
  title: "Reverse zones",
  intro:
    "PTR records that are missing or wrong, for the addresses in your zones. Each can be mended after you have seen the change.",
  count: (count: number, shown: string) => (count === 1 ? "1 finding" : `${shown} findings`),
  looking: "Looking…",
  further: "Look further",
  furtherHint: "There are more records to look at.",
  emptyTitle: "Nothing to mend",
  empty:
    "Every address in your reverse zones has its PTR record. A network is looked at once its reverse zone, such as 2.0.192.in-addr.arpa, is among your domains.",
  problems: {
    missing: "Missing",
    stale: "Stale",
    mismatched: "Wrong name",
    unreachable: "Not reachable",
  },
  says: {
    missing: (address: string, expected: string) => `${address} has no PTR record. ${expected} has this address.`,
    stale: (address: string, value: string) => `${address} points to ${value}, which does not have this address.`,
    mismatched: (address: string, value: string, expected: string) =>
      `${address} points to ${value}, but ${expected} has this address.`,
    unreachable: (address: string) => `No CNAME leads to the PTR record of ${address}.`,
  },
  mend: "Mend…",
  mendAll: (count: number, shown: string) => (count === 1 ? "Mend it…" : `Mend all ${shown}…`),
  mendOne: (address: string) => `Mend ${address}`,
  notYours: "You may not change these records.",
  planTitle: (zone: string) => `Changes of ${zone}`,
  planning: "Planning…",
  apply: (count: number, shown: string) => (count === 1 ? "Apply 1 change" : `Apply ${shown} changes`),
  cancel: "Cancel",
  done: (zone: string) => `Mended in ${zone}`,
  more: (count: string) => `and ${count} more ${count === "1" ? "finding" : "findings"} in this zone.`,
};
