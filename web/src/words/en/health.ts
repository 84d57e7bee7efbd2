export const health = {
  title: "Health",
  inRecords: "In the records",
  inRecordsHint: "Checks stored records only; sends no DNS queries.",
  fine: (checked: string) => `Nothing is wrong in ${checked}.`,
  checked: (faults: string, checked: string) => `${faults} in ${checked}.`,
  records: (count: number, shown: string) => (count === 1 ? "1 record" : `${shown} records`),
  faults: (count: number, shown: string) => (count === 1 ? "1 fault" : `${shown} faults`),
  isPart: "You see only some hosts. Missing records are not reported.",
  omitted: (count: string) =>
    `${count} more ${count === "1" ? "is" : "are"} not listed. Mend these to see ${count === "1" ? "it" : "them"}.`,
  again: "Check again",
  severities: { error: "Broken", warning: "Warning", info: "Note" },
  inDraft: "Mend in a draft",
  inDraftOf: (message: string) => `Mend in a draft: ${message}`,
  drafted: (count: number, shown: string) =>
    count === 1
      ? "1 change is in your draft. Review it and apply it."
      : `${shown} changes are in your draft. Review them and apply them.`,
  changed: "The zone has changed since it was checked. This is how it is now.",
  inOtherDraft: "Your draft already changes these records. Apply these changes or discard them first.",
  template: "Find a template",
  more: (count: string) => `and ${count} more`,
  ptr: "PTR records",
  ptrHint: "Reverse records of the zone's addresses that are missing or disagree.",
  ptrFine: "No PTR record is missing or wrong in the reverse zones that you see.",
  ptrLooking: "Looking…",
  ptrFurther: "Look further",
  ptrPartly: (found: string) => `${found} so far. There are more records to look at.`,
  ptrOmitted: (count: string) => `${count} more ${count === "1" ? "is" : "are"} not listed here.`,
  ptrMend: "Mend under Reverse zones",
};
