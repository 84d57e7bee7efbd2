export const health = {
  title: "Health",
  inRecords: "In the records",
  inRecordsHint: "What is wrong in the records as they are here. Nothing is looked up.",
  fine: (checked: string) => `Nothing is wrong in ${checked} records.`,
  checked: (faults: string, checked: string) => `${faults} in ${checked} records.`,
  faults: (count: number, shown: string) => (count === 1 ? "1 fault" : `${shown} faults`),
  isPart: "Only the hosts that you may see were checked, and nothing that may be missing.",
  omitted: (count: string) => `${count} more are not listed. Mend these to see them.`,
  again: "Check again",
  severities: { error: "Broken", warning: "Warning", info: "Note" },
  inDraft: "Mend in a draft",
  inDraftOf: (message: string) => `Mend in a draft: ${message}`,
  drafted: (count: number, shown: string) =>
    count === 1
      ? "1 change is in your draft. Review it and apply it."
      : `${shown} changes are in your draft. Review them and apply them.`,
  template: "Find a template",
  more: (count: string) => `and ${count} more`,
  ptr: "PTR records",
  ptrHint: "Reverse records of the zone's addresses that are missing or disagree.",
  ptrFine: "No PTR record is missing or wrong in the reverse zones that you see.",
  ptrLooking: "Looking…",
  ptrFurther: "Look further",
  ptrPartly: (found: string) => `${found} so far. There are more records to look at.`,
  ptrMend: "Mend under Reverse zones",
};
