/**
 * Returns the sort key of a relative name in canonical DNS order (RFC 4034 §6.1): by labels from the right, a name before those below it.
 * `@` comes first. Labels may contain escaped dots.
 */
export function nameOrderKey(name: string): string {
  if (name === "@") return "";
  // NUL sorts below every label character, so `a` comes before `b.a`, and `b.a` before `a-b`.
  return splitLabels(name).toReversed().join("\u0000");
}

function splitLabels(name: string): string[] {
  if (!name.includes("\\")) return name.split(".");
  const labels: string[] = [];
  let start = 0;
  for (let position = 0; position < name.length; position++) {
    if (name[position] === "\\") position++;
    else if (name[position] === ".") {
      labels.push(name.slice(start, position));
      start = position + 1;
    }
  }
  labels.push(name.slice(start));
  return labels;
}
