/** An element of XML without attributes but its namespace: what Route 53 takes and gives. */
export interface XmlElement {
  name: string;
  namespace: string | null;
  children: XmlElement[];
  text: string;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const token = /<\?[^>]*\?>|<\/([\w.-]+)\s*>|<([\w.-]+)((?:\s+[\w:.-]+="[^"]*")*)\s*(\/)?>|([^<]+)/gy;

/** Reads a document strictly. @throws Error for invalid XML */
export function parseXml(text: string): XmlElement {
  const root: XmlElement = { name: "", namespace: null, children: [], text: "" };
  const open = [root];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    const parent = open.at(-1);
    if (!match || !parent) throw new Error("This is no XML.");
    const [, closing, opening, attributes = "", empty, content] = match;
    if (closing !== undefined) {
      if (parent.name !== closing || open.length === 1) throw new Error(`</${closing}> closes nothing.`);
      open.pop();
    } else if (opening !== undefined) {
      const [, namespace = null] = /\sxmlns="([^"]*)"/.exec(attributes) ?? [];
      const element: XmlElement = { name: opening, namespace, children: [], text: "" };
      parent.children.push(element);
      if (empty === undefined) open.push(element);
    } else if (content !== undefined) parent.text += unescaped(content);
  }
  const [document, ...others] = root.children;
  if (!document || others.length > 0 || open.length > 1) throw new Error("This is not one XML document.");
  return document;
}

function unescaped(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (_, decimal?: string, hex?: string, name?: string) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return entities[name ?? ""] ?? "";
  });
}

/** Content of an element: text, elements one after the other, or nothing, which leaves the element out. */
export type XmlContent = string | number | boolean | undefined | { [name: string]: XmlContent | XmlContent[] };

/** Writes elements. A list is an element of each entry. */
export function printXml(content: { [name: string]: XmlContent | XmlContent[] }): string {
  return Object.entries(content)
    .flatMap(([name, values]) => (Array.isArray(values) ? values : [values]).map((value) => printElement(name, value)))
    .join("");
}

function printElement(name: string, content: XmlContent): string {
  if (content === undefined) return "";
  const inner = typeof content === "object" ? printXml(content) : escapedText(String(content));
  return `<${name}>${inner}</${name}>`;
}

function escapedText(text: string): string {
  return text.replaceAll(/[&<>"]/g, (part) => `&${{ "&": "amp", "<": "lt", ">": "gt" }[part] ?? "quot"};`);
}
