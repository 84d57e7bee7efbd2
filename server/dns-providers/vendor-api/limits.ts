import type { LimitedRecord, Unsupported } from "../provider.ts";

// What several vendors refuse alike, in the words of the message that names the vendor before it.

/** Returns why a vendor that takes plain names only refuses a record's name; null if it takes it. */
export function unusualName(name: string): Unsupported | null {
  return /^(?:@|(?:\*|[\w-]+)(?:\.[\w-]+)*)$/.test(name)
    ? null
    : { field: "name", reason: "allows only letters, digits, hyphens, underscores and a leading * in names." };
}

/** Of a vendor that takes plain names only: what it does not store. @param valueReason why it refuses a value; null if it takes it */
export function plainNamesOnly(valueReason: (record: LimitedRecord) => string | null) {
  return (record: LimitedRecord): Unsupported | null => {
    const unusual = unusualName(record.name);
    if (unusual) return unusual;
    const reason = valueReason(record);
    return reason === null ? null : { field: "value", reason };
  };
}

/** Returns why a vendor that prints a CAA record without quotes refuses its value; null if it takes it. */
export function spacedCaa(value: string): string | null {
  const text = value.split(" ").slice(2).join(" ");
  return /^[^\s"\\]+$/.test(text)
    ? null
    : "does not allow spaces, quotes or backslashes in a CAA value, nor an empty one.";
}
