import { WireError } from "../names/wire-names.ts";
import { shortened, type RdataPart } from "./field.ts";

/** Hexadecimal digits up to the end of the data, whitespace allowed. At least one octet unless `mayBeEmpty`. */
export function hex(what: string, mayBeEmpty = false): RdataPart {
  return {
    parse(fields) {
      const digits = fields.restJoined(what);
      if (digits === "" && !mayBeEmpty) throw new WireError(`the ${what} is missing`);
      return hexOctets(digits, what);
    },
    print(octets) {
      const rest = octets.rest();
      if (rest.length === 0 && !mayBeEmpty) throw new WireError(`the ${what} is missing`);
      return rest.toString("hex");
    },
  };
}

export function hexOctets(digits: string, what: string): Buffer {
  if (!/^(?:[\da-f]{2})*$/i.test(digits)) {
    throw new WireError(`the ${what} must be hexadecimal digits in pairs, not "${shortened(digits)}"`);
  }
  return Buffer.from(digits, "hex");
}

/** Base64 up to the end of the data, whitespace allowed. At least one octet unless `mayBeEmpty`. */
export function base64(what: string, mayBeEmpty = false): RdataPart {
  return {
    parse(fields) {
      const text = fields.restJoined(what);
      if (text === "" && !mayBeEmpty) throw new WireError(`the ${what} is missing`);
      return base64Octets(text, what);
    },
    print(octets) {
      const rest = octets.rest();
      if (rest.length === 0 && !mayBeEmpty) throw new WireError(`the ${what} is missing`);
      return rest.toString("base64");
    },
  };
}

/** Requires whole groups of four with padding (RFC 4648 §4), because Buffer skips invalid characters. */
export function base64Octets(text: string, what: string): Buffer {
  const octets = Buffer.from(text, "base64");
  if (octets.toString("base64") !== text) {
    throw new WireError(`the ${what} must be valid base64 with padding, not "${shortened(text)}"`);
  }
  return octets;
}

const base32Digits = "0123456789abcdefghijklmnopqrstuv";

/** Base32 with the extended hex alphabet and no padding (RFC 4648 §7), prefixed by a length octet (RFC 5155 §3.2). */
export function hash(what: string): RdataPart {
  return {
    parse(fields) {
      const text = fields.takeWord(what).toLowerCase();
      const octets = Buffer.from(base32Octets(text));
      if (octets.length === 0 || octets.length > 255 || printBase32(octets) !== text) {
        throw new WireError(`the ${what} must be base32 with the digits 0-9 and a-v, not "${shortened(text)}"`);
      }
      return Buffer.concat([Buffer.of(octets.length), octets]);
    },
    print(octets) {
      return printBase32(octets.take(octets.number(1)));
    },
  };
}

function base32Octets(text: string): number[] {
  const octets: number[] = [];
  let bits = 0;
  let held = 0;
  for (const digit of text) {
    held = ((held << 5) | Math.max(0, base32Digits.indexOf(digit))) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    octets.push((held >> bits) & 0xff);
  }
  return octets;
}

function printBase32(octets: Buffer): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const octet of octets) {
    held = ((held << 8) | octet) & 0x1fff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32Digits.charAt((held >> bits) & 31);
    }
  }
  return bits === 0 ? text : text + base32Digits.charAt((held << (5 - bits)) & 31);
}

/** NSEC3 salt (RFC 5155 §3.3): hexadecimal, or `-` for none, prefixed by a length octet. */
export const salt: RdataPart = {
  parse(fields) {
    const text = fields.takeWord("salt");
    const octets = text === "-" ? Buffer.alloc(0) : hexOctets(text, "salt");
    if (octets.length > 255) throw new WireError("the salt is longer than 255 octets");
    return Buffer.concat([Buffer.of(octets.length), octets]);
  },
  print(octets) {
    return octets.take(octets.number(1)).toString("hex") || "-";
  },
};

/** EUI-48 and EUI-64 (RFC 7043): hexadecimal octets separated by hyphens. */
export function hardwareAddress(length: 6 | 8): RdataPart {
  const form = new RegExp(`^[\\da-f]{2}(?:-[\\da-f]{2}){${length - 1}}$`, "i");
  const example = length === 6 ? "00-00-5e-00-53-2a" : "00-00-5e-ef-10-00-00-2a";
  return {
    parse(fields) {
      const text = fields.takeWord("address");
      if (!form.test(text))
        throw new WireError(`the address must be ${length} octets such as ${example}, not "${shortened(text)}"`);
      return Buffer.from(text.replaceAll("-", ""), "hex");
    },
    print(octets) {
      return grouped(octets.take(length), 1, "-");
    },
  };
}

/** 64 bits as four groups of hexadecimal digits (RFC 6742 §2.1.2), printed in full. */
export function locator(what: string): RdataPart {
  return {
    parse(fields) {
      const text = fields.takeWord(what);
      if (!/^[\da-f]{1,4}(?::[\da-f]{1,4}){3}$/i.test(text)) {
        throw new WireError(`the ${what} must be four groups such as 2001:db8:1140:1000, not "${shortened(text)}"`);
      }
      return Buffer.from(
        text
          .split(":")
          .map((group) => group.padStart(4, "0"))
          .join(""),
        "hex",
      );
    },
    print(octets) {
      return grouped(octets.take(8), 2, ":");
    },
  };
}

function grouped(octets: Buffer, size: number, between: string): string {
  return (octets.toString("hex").match(new RegExp(`.{${2 * size}}`, "g")) ?? []).join(between);
}

/** NSAP (RFC 1706 §5): `0x` and hexadecimal digits, with dots allowed between them. */
export const nsap: RdataPart = {
  parse(fields) {
    const text = fields.takeWord("address");
    const digits = text.replace(/^0x/i, "").replaceAll(".", "");
    if (!/^0x/i.test(text) || digits === "")
      throw new WireError(`the address must begin with 0x, not "${shortened(text)}"`);
    return hexOctets(digits, "address");
  },
  print(octets) {
    if (octets.isEmpty) throw new WireError("the address is missing");
    return `0x${octets.rest().toString("hex")}`;
  },
};

/**
 * ATMA: `+` and the digits of an E.164 number, or an NSAP address in hexadecimal, with dots allowed between digits; the first octet is the format.
 * Another format has generic form only, as in BIND.
 */
export const atmAddress: RdataPart = {
  parse(fields) {
    const text = fields.takeWord("address");
    if (/^\+\d+(?:\.\d+)*$/.test(text))
      return Buffer.concat([Buffer.of(1), Buffer.from(text.slice(1).replaceAll(".", ""), "latin1")]);
    const digits = text.replaceAll(/(?<=[\da-f])\.(?=[\da-f])/gi, "");
    if (digits === "") throw new WireError("the address is missing");
    return Buffer.concat([Buffer.of(0), hexOctets(digits, "address")]);
  },
  print(octets) {
    const format = octets.number(1);
    const rest = octets.rest();
    const digits = rest.toString("latin1");
    if (rest.length === 0) throw new WireError("the address is missing");
    if (format === 0) return rest.toString("hex");
    if (format > 1) return "";
    if (/^\d+$/.test(digits)) return `+${digits}`;
    throw new WireError("the address must have only digits");
  },
};

/** DOA's data (draft-durand-doa-over-dns): base64, `-` for none. */
export const dashedBase64: RdataPart = {
  parse(fields) {
    const text = fields.restJoined("data");
    if (text === "") throw new WireError("the data is missing");
    return text === "-" ? Buffer.alloc(0) : base64Octets(text, "data");
  },
  print(octets) {
    return octets.rest().toString("base64") || "-";
  },
};
