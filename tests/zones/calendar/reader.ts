/** Reads the events of a calendar as RFC 5545 says: unfolds lines, and unescapes texts. Fails if a line or a component is malformed. */
export function eventsOf(calendar: string): Record<string, string>[] {
  const events: Record<string, string>[] = [];
  const open: string[] = [];
  if (!calendar.endsWith("\r\n")) throw new Error("The last line has no end.");
  for (const line of calendar.slice(0, -2).replaceAll("\r\n ", "").split("\r\n")) {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1)];
    if (!/^[A-Z-]+(?:;[A-Z]+=[A-Z]+)?$/.test(name)) throw new Error(`Malformed line: ${JSON.stringify(line)}`);
    if (name === "BEGIN") open.push(value);
    else if (name === "END") {
      if (open.pop() !== value) throw new Error(`${value} ends unopened.`);
      continue;
    }
    if (name === "BEGIN" && value === "VEVENT") events.push({});
    else if (open.at(-1) === "VEVENT") Object.assign(events.at(-1) ?? {}, { [name]: unescaped(value) });
  }
  if (open.length > 0) throw new Error(`${open.join(", ")} does not end.`);
  return events;
}

function unescaped(text: string): string {
  if (/(?<!\\)(?:\\\\)*[;,]/.test(text)) throw new Error(`Unescaped: ${JSON.stringify(text)}`);
  return text.replaceAll(/\\(.)/gs, (_all, escaped: string) => (/n/i.test(escaped) ? "\n" : escaped));
}
