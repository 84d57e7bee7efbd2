import { isIPv4, isIPv6 } from "node:net";
import { escapeOctets, unescapeOctets } from "../names/escapes.ts";
import { aaaaRule } from "../values/aaaa.ts";
import { WireError } from "../names/wire-names.ts";
import { addressOctets, ipv6Address } from "../values/addresses.ts";
import { base64Octets } from "./blobs.ts";
import { shortened, type RdataPart } from "./field.ts";

/** Service parameter keys by number (RFC 9460 §14.3.2, RFC 9461 §5, RFC 9540 §4). */
const keys = ["mandatory", "alpn", "no-default-alpn", "port", "ipv4hint", "ech", "ipv6hint", "dohpath", "ohttp"];

const alpn = 1;
const defaultAlpn = 2;
const singleAddress: ReadonlyMap<number, number> = new Map([
  [4, 4],
  [6, 16],
]);

/** SvcParams of SVCB and HTTPS (RFC 9460 §2.1), printed in key order and quoted only where necessary. */
export const parameters: RdataPart = {
  parse(fields) {
    const octets = writeParameters(fields.rest().map(({ raw }) => raw));
    checkParameters(octets);
    return octets;
  },
  print(source) {
    const octets = source.rest();
    checkParameters(octets);
    return readParameters(octets).map(unquoted).join(" ");
  },
};

/**
 * Decodes SvcParams of SVCB and HTTPS (RFC 9460 §2.2) into master-file fields, `key` or `key=value`.
 * @param named number of keys printed by name; keys from this number on print as `key<number>`
 */
export function readParameters(octets: Buffer, named = keys.length): string[] {
  const nameOf = (number: number) => (number < named ? keys[number] : undefined) ?? `key${number}`;
  const fields: string[] = [];
  let position = 0;
  while (position < octets.length) {
    if (position + 4 > octets.length) throw new WireError("a service parameter is cut off");
    const number = octets.readUInt16BE(position);
    const end = position + 4 + octets.readUInt16BE(position + 2);
    if (end > octets.length) throw new WireError("a service parameter is cut off");
    const key = nameOf(number);
    const content = octets.subarray(position + 4, end);
    fields.push(content.length === 0 ? key : `${key}="${readContent(key, content, nameOf)}"`);
    position = end;
  }
  return fields;
}

/** Encodes master-file fields as SvcParams, keys in ascending order (RFC 9460 §2.2). @throws WireError */
export function writeParameters(fields: readonly string[]): Buffer {
  const parameters = fields.map((field) => {
    const [, key = "", content] = /^([^=]*)(?:=(.*))?$/s.exec(field) ?? [];
    const text = content === undefined ? null : content.replace(/^"(.*)"$/s, "$1");
    const number = keyNumber(key);
    const isEmpty = text === null || text === "";
    return { number, octets: isEmpty ? Buffer.alloc(0) : writeContent(isNumbered(key) ? key : keys[number], text) };
  });
  return Buffer.concat(
    parameters
      .toSorted((one, other) => one.number - other.number)
      .flatMap(({ number, octets }) => [
        Buffer.of(number >> 8, number & 255, octets.length >> 8, octets.length & 255),
        octets,
      ]),
  );
}

function readContent(key: string, octets: Buffer, nameOf: (number: number) => string): string {
  switch (key) {
    case "mandatory":
      return chunks(octets, 2)
        .map((part) => nameOf(part.readUInt16BE(0)))
        .join(",");
    case "alpn":
      return escapeOctets(Buffer.from(readIds(octets).join(","), "latin1"), '"\\');
    case "port":
      if (octets.length !== 2) throw new WireError("the port is not two octets");
      return String(octets.readUInt16BE(0));
    case "ipv4hint":
      return chunks(octets, 4)
        .map((part) => part.join("."))
        .join(",");
    case "ipv6hint":
      return chunks(octets, 16).map(shownIPv6).join(",");
    case "ech":
      return octets.toString("base64");
    default:
      return escapeOctets(octets, '"\\');
  }
}

/** @param key the parameter's name in lower case; `key<number>` stands for raw octets */
function writeContent(key: string | undefined, text: string): Buffer {
  const octets = unescapeOctets(text);
  if (octets === null) throw new WireError(`the parameter ${shortened(key ?? "")} has an invalid escape`);
  const plain = octets.toString("latin1");
  const items = () => plain.split(",");
  switch (key) {
    case "mandatory":
      return Buffer.concat(
        items()
          .map(keyNumber)
          .toSorted((one, other) => one - other)
          .map((number) => Buffer.of(number >> 8, number & 255)),
      );
    case "alpn":
      return Buffer.concat(writeIds(plain));
    case "port":
      if (!/^\d{1,5}$/.test(plain) || Number(plain) > 65_535)
        throw new WireError(`${shortened(plain)} is not a valid port`);
      return Buffer.of(Number(plain) >> 8, Number(plain) & 255);
    case "ipv4hint":
      return Buffer.concat(items().map((item) => hintOctets("IPv4", item)));
    case "ipv6hint":
      return Buffer.concat(items().map((item) => hintOctets("IPv6", item)));
    case "ech":
      return base64Octets(plain, "parameter ech");
    default:
      return octets;
  }
}

/**
 * Keys are in lower case (RFC 9460 §2.1). Names in capitals can mean nothing else and are folded; `KEY65333` is refused, as other servers do,
 * and so are leading zeros.
 */
function keyNumber(key: string): number {
  const known = keys.indexOf(key.toLowerCase());
  if (known !== -1) return known;
  const number = isNumbered(key) ? Number(key.slice(3)) : Number.NaN;
  if (!(number <= 65_535)) throw new WireError(`${shortened(key)} is not a known service parameter`);
  return number;
}

function isNumbered(key: string): boolean {
  return /^key(?:0|[1-9]\d{0,4})$/.test(key);
}

/** Reads protocol identifiers. Commas and backslashes in them get an extra level of escaping (RFC 9460 §A.1). */
function readIds(octets: Buffer): string[] {
  const ids: string[] = [];
  let position = 0;
  while (position < octets.length) {
    const end = position + 1 + (octets[position] ?? 0);
    if (end > octets.length) throw new WireError("a protocol identifier is cut off");
    ids.push(octets.toString("latin1", position + 1, end).replaceAll(/[,\\]/g, String.raw`\$&`));
    position = end;
  }
  return ids;
}

function writeIds(list: string): Buffer[] {
  return (list.match(/(?:\\[^]|[^,\\])+/g) ?? []).map((item) => {
    const id = Buffer.from(item.replaceAll(/\\([^])/g, "$1"), "latin1");
    if (id.length > 255) throw new WireError("a protocol identifier is longer than 255 octets");
    return Buffer.concat([Buffer.of(id.length), id]);
  });
}

function chunks(octets: Buffer, size: number): Buffer[] {
  if (octets.length % size !== 0) throw new WireError("a service parameter is cut off");
  return Array.from({ length: octets.length / size }, (_, index) => octets.subarray(index * size, (index + 1) * size));
}

function hintOctets(family: "IPv4" | "IPv6", text: string): Buffer {
  const isAddress = family === "IPv4" ? isIPv4 : isIPv6;
  if (!isAddress(text)) throw new WireError(`${shortened(text)} is not a valid ${family} address`);
  return addressOctets(text);
}

function shownIPv6(octets: Buffer): string {
  const text = ipv6Address(octets);
  const shown = aaaaRule.write(text, null);
  return shown.ok ? shown.value.value : text;
}

/** Removes unnecessary quotes, because servers differ in quoting parameters. */
function unquoted(parameter: string): string {
  const [, key = "", content = ""] = /^([^"]*=)"([!#-'*-:<-[\]-~]+)"$/.exec(parameter) ?? [];
  return key === "" ? parameter : key + content;
}

/** Checks what RFC 9460 §2.2, §7 and §8 require beyond each value's format. @throws WireError */
function checkParameters(octets: Buffer): void {
  const contents = contentsOf(octets);
  for (const [key, content] of contents) checkContent(key, content);
  if (contents.has(defaultAlpn) && !contents.has(alpn)) throw new WireError("no-default-alpn requires alpn");
  for (const key of pairs(contents.get(0))) {
    if (key === 0 || !contents.has(key)) throw new WireError("mandatory lists a parameter that is missing");
  }
}

function contentsOf(octets: Buffer): Map<number, Buffer> {
  const contents = new Map<number, Buffer>();
  let last = -1;
  for (let position = 0; position < octets.length;) {
    if (position + 4 > octets.length) throw new WireError("a service parameter is cut off");
    const key = octets.readUInt16BE(position);
    const end = position + 4 + octets.readUInt16BE(position + 2);
    if (end > octets.length) throw new WireError("a service parameter is cut off");
    if (key <= last) throw new WireError("a service parameter is repeated or out of order");
    contents.set(key, octets.subarray(position + 4, end));
    [last, position] = [key, end];
  }
  return contents;
}

function checkContent(key: number, content: Buffer): void {
  const size = singleAddress.get(key);
  const isWrong =
    (key === 0 && (content.length === 0 || content.length % 2 !== 0 || !isAscending(pairs(content)))) ||
    (key === alpn && !isListOfIds(content)) ||
    (key === defaultAlpn && content.length > 0) ||
    (key === 3 && content.length !== 2) ||
    (size !== undefined && (content.length === 0 || content.length % size !== 0)) ||
    (key === 5 && content.length === 0) ||
    // RFC 9461 §5: a URI template with the variable dns.
    (key === 7 && !hasDnsVariable(content.toString("latin1"))) ||
    (key === 8 && content.length > 0);
  if (isWrong)
    throw new WireError(`the service parameter ${readParameters(parameterOf(key)).join("")} has an invalid value`);
}

/** RFC 6570 §2: expressions in braces, each an optional operator and comma-separated variables. */
function hasDnsVariable(template: string): boolean {
  for (const [, expression = ""] of template.matchAll(/\{([^{}]*)\}/g)) {
    const variables = expression.replace(/^[+#./;?&]/, "").split(",");
    if (variables.some((variable) => /^dns(?:[*:].*)?$/s.test(variable))) return true;
  }
  return false;
}

function parameterOf(key: number): Buffer {
  return Buffer.of(key >> 8, key & 255, 0, 0);
}

function isListOfIds(content: Buffer): boolean {
  let position = 0;
  while (position < content.length) {
    const length = content[position] ?? 0;
    if (length === 0) return false;
    position += 1 + length;
  }
  return content.length > 0 && position === content.length;
}

function pairs(content: Buffer | undefined): number[] {
  return Array.from({ length: (content?.length ?? 0) >> 1 }, (_, index) => content?.readUInt16BE(2 * index) ?? 0);
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || (numbers[index - 1] ?? 0) < number);
}
