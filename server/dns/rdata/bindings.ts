import { WireError } from "../names/wire-names.ts";
import type { RdataPart } from "./field.ts";
import { readParameters, writeParameters } from "./service-parameters.ts";

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
