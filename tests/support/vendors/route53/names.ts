/** The octets of a name's labels, lower-case; null for an invalid name. `\ooo` is an octet in octal. */
function labelsOf(name: string): Buffer[] | null {
  const labels: Buffer[] = [];
  for (const label of name.replace(/\.$/, "").split(".")) {
    if (!/^(?:\\[0-3][0-7]{2}|[!-[\]-~])+$/.test(label)) return null;
    const octets = [...label.matchAll(/\\(\d{3})|[^]/g)].map(([character, code]) =>
      code === undefined ? character.charCodeAt(0) : Number.parseInt(code, 8),
    );
    if (octets.length > 63) return null;
    labels.push(Buffer.from(octets.map((octet) => (octet >= 65 && octet <= 90 ? octet + 32 : octet))));
  }
  return labels.reduce((sum, label) => sum + label.length + 1, 0) > 254 ? null : labels;
}

/** A name as the API prints it: absolute, lower-case, all but letters, digits, hyphens and underscores in octal. Null if invalid. */
export function printedName(name: string): string | null {
  const labels = labelsOf(name);
  if (!labels) return null;
  const printed = labels.map((octets) =>
    Array.from(octets, (octet) => {
      const character = String.fromCharCode(octet);
      return /[a-z0-9_-]/.test(character) ? character : `\\${octet.toString(8).padStart(3, "0")}`;
    }).join(""),
  );
  return `${printed.join(".")}.`;
}
