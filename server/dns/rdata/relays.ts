import { WireError } from "../names/wire-names.ts";
import { ipv4, ipv6, name, nameOctets } from "./addresses.ts";
import { base64Octets, hexOctets } from "./blobs.ts";
import { shortened, type FieldSource, type RdataPart } from "./field.ts";
import { octetsOf } from "./numbers.ts";
import { canonicalType, typeName, typeNumber } from "../zone-file/type-names.ts";

/** The absent gateway: written as the root, no octets on the wire. */
const nothing: RdataPart = {
  parse(fields) {
    const text = fields.takeWord("gateway");
    if (text !== ".") throw new WireError(`a gateway of type 0 must be ".", not "${shortened(text)}"`);
    return Buffer.alloc(0);
  },
  print: () => ".",
};

const gateways = [nothing, ipv4, ipv6, name("gateway")] as const;

function gatewayOf(type: number): RdataPart {
  const gateway = gateways[type];
  if (!gateway) throw new WireError(`the gateway type must be a number from 0 to 3, not ${type}`);
  return gateway;
}

/** Precedence, gateway type, algorithm and gateway of IPSECKEY (RFC 4025 §2), which precede the key. */
export const ipsecGateway: RdataPart = {
  parse(fields) {
    const [precedence, type, algorithm] = [
      smallNumber(fields, "precedence"),
      smallNumber(fields, "gateway type"),
      smallNumber(fields, "algorithm"),
    ];
    return Buffer.concat([Buffer.of(precedence, type, algorithm), gatewayOf(type).parse(fields)]);
  },
  print(octets) {
    const [precedence, type, algorithm] = [octets.number(1), octets.number(1), octets.number(1)];
    return `${precedence} ${type} ${algorithm} ${gatewayOf(type).print(octets)}`;
  },
};

/** AMTRELAY (RFC 8777 §4.2). A relay of another type has generic form only, as in BIND. */
export const amtRelay: RdataPart = {
  parse(fields) {
    const precedence = smallNumber(fields, "precedence");
    const discovery = smallNumber(fields, "discovery bit");
    const type = smallNumber(fields, "relay type");
    if (discovery > 1) throw new WireError("the discovery bit must be 0 or 1");
    return Buffer.concat([Buffer.of(precedence, (discovery << 7) | type), gatewayOf(type).parse(fields)]);
  },
  print(octets) {
    const [precedence, both] = [octets.number(1), octets.number(1)];
    if ((both & 0x7f) >= gateways.length) {
      octets.rest();
      return "";
    }
    return `${precedence} ${both >> 7} ${both & 0x7f} ${gatewayOf(both & 0x7f).print(octets)}`;
  },
};

/** HIP (RFC 8005 §5): algorithm, identity tag, public key and rendezvous servers. On the wire, the lengths of tag and key come first. */
export const hostIdentity: RdataPart = {
  parse(fields) {
    const algorithm = smallNumber(fields, "algorithm");
    const tag = hexOctets(fields.takeWord("identity tag"), "identity tag");
    const key = base64Octets(fields.takeWord("public key"), "public key");
    if (tag.length === 0 || tag.length > 255) throw new WireError("the identity tag must be 1 to 255 octets");
    if (key.length === 0) throw new WireError("the public key is missing");
    if (key.length > 65_535) throw new WireError("the public key is longer than 65535 octets");
    const servers = fields.rest().map(({ raw }) => nameOctets(raw, fields.origin));
    return Buffer.concat([Buffer.of(tag.length, algorithm), octetsOf(key.length, 2), tag, key, ...servers]);
  },
  print(octets) {
    const [tagLength, algorithm, keyLength] = [octets.number(1), octets.number(1), octets.number(2)];
    if (tagLength === 0 || keyLength === 0) throw new WireError("the identity tag or the public key is missing");
    const parts = [
      String(algorithm),
      octets.take(tagLength).toString("hex"),
      octets.take(keyLength).toString("base64"),
    ];
    while (!octets.isEmpty) parts.push(octets.name());
    return parts.join(" ");
  },
};

/** WKS (RFC 1035 §3.4.2): a protocol and its port numbers. */
export const services: RdataPart = {
  parse(fields) {
    const text = fields.takeWord("protocol").toLowerCase();
    const protocol = text === "tcp" ? 6 : text === "udp" ? 17 : Number(/^\d{1,3}$/.exec(text)?.[0] ?? Number.NaN);
    if (!(protocol <= 255)) throw new WireError(`the protocol must be tcp, udp or a number, not "${shortened(text)}"`);
    const ports = fields.rest().map(({ raw }) => portOf(raw));
    const bits = ports.length === 0 ? Buffer.alloc(0) : bitsFor(ports);
    return Buffer.concat([Buffer.of(protocol), bits]);
  },
  print(octets) {
    const protocol = octets.number(1);
    const bits = octets.rest();
    if (bits.length > 8192 || bits.at(-1) === 0) throw new WireError("its port bit map is malformed");
    return [protocol, ...bitsOf(bits)].join(" ");
  },
};

function portOf(raw: string): number {
  const port = Number(raw);
  if (/^\d{1,5}$/.test(raw) && port <= 65_535) return port;
  throw new WireError(`"${shortened(raw)}" is not a port number from 0 to 65535`);
}

function smallNumber(fields: FieldSource, what: string): number {
  const text = fields.takeWord(what);
  if (/^\d{1,3}$/.test(text) && Number(text) <= 255) return Number(text);
  throw new WireError(`the ${what} must be a number from 0 to 255, not "${shortened(text)}"`);
}

/** A record type, such as the type covered by a signature (RFC 4034 §3.2). */
export const coveredType: RdataPart = {
  parse: (fields) => octetsOf(numberOf(fields.takeWord("covered type")), 2),
  print: (octets) => typeName(octets.number(2)),
};

/** A type bit map (RFC 4034 §4.1.2), printed in order of type number. */
export function typeSet(mayBeEmpty: boolean): RdataPart {
  return {
    parse(fields) {
      const numbers = [...new Set(fields.rest().map(({ raw }) => numberOf(raw)))].toSorted((one, other) => one - other);
      if (numbers.length === 0 && !mayBeEmpty) throw new WireError("it lists no type");
      const windows = new Map<number, number[]>();
      for (const number of numbers) {
        const within = windows.get(number >> 8);
        if (within) within.push(number);
        else windows.set(number >> 8, [number]);
      }
      return Buffer.concat([...windows].flatMap(([window, within]) => windowOf(window, within)));
    },
    print(octets) {
      const names: string[] = [];
      let before = -1;
      while (!octets.isEmpty) {
        const window = octets.number(1);
        const bits = octets.take(octets.number(1));
        if (window <= before || bits.length === 0 || bits.length > 32 || bits.at(-1) === 0) {
          throw new WireError("its type bit map is malformed");
        }
        before = window;
        names.push(...bitsOf(bits).map((bit) => typeName(window * 256 + bit)));
      }
      if (names.length === 0 && !mayBeEmpty) throw new WireError("it lists no type");
      return names.join(" ");
    },
  };
}

/** The type bit map of NXT (RFC 2535 §5.2), which covers only types below 128. */
export const oldTypeSet: RdataPart = {
  parse(fields) {
    const numbers = fields.rest().map(({ raw }) => numberOf(raw));
    if (numbers.length === 0) throw new WireError("it lists no type");
    if (numbers.some((number) => number > 127)) throw new WireError("it lists a type above 127");
    return bitsFor(numbers);
  },
  print(octets) {
    const bits = octets.rest();
    if (bits.length === 0 || bits.length > 16 || bits.at(-1) === 0)
      throw new WireError("its type bit map is malformed");
    return bitsOf(bits).map(typeName).join(" ");
  },
};

function windowOf(window: number, numbers: readonly number[]): Buffer[] {
  const bits = bitsFor(numbers.map((number) => number & 255));
  return [Buffer.of(window, bits.length), bits];
}

/** Avoids spreading, because a line may list more types than a call takes arguments. */
function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

function bitsFor(numbers: readonly number[]): Buffer {
  const bits = Buffer.alloc((largest(numbers) >> 3) + 1);
  for (const number of numbers) bits[number >> 3] = (bits[number >> 3] ?? 0) | (0x80 >> (number & 7));
  return bits;
}

function bitsOf(bits: Buffer): number[] {
  return Array.from({ length: bits.length * 8 }, (_, bit) => bit).filter(
    (bit) => ((bits[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0,
  );
}

function numberOf(raw: string): number {
  // No record has type 0, but a SIG that signs a message covers it (RFC 2931 §3).
  if (/^type0$/i.test(raw)) return 0;
  const type = canonicalType(raw);
  const number = type === null ? null : typeNumber(type);
  if (number === null) throw new WireError(`"${shortened(raw)}" is not a known record type`);
  return number;
}
