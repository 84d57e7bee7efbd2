/**
 * Sorts by this key put names into canonical DNS order (RFC 4034 §6.1): by labels from the right, a name before those below it. `@` comes
 * first. The name is relative, its labels perhaps with escaped dots.
 */
export function nameOrderKey(name: string): string {
  if (name === "@") return "";
  // NUL is below every character of a label, so that `a` comes before `b.a`, and that before `a-b`.
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
