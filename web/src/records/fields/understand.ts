/** Types whose value is a host name, with the number of words before it. */
const hostAt: Readonly<Record<string, number>> = { CNAME: 0, NS: 0, PTR: 0, ALIAS: 0, MX: 1, SRV: 3 };

/** What was understood of a typed value, and which correction was made. */
export interface Understood {
  value: string;
  correction: "url" | "port" | "quotes" | null;
}

/**
 * Understands a value as people paste it: spaces around it, a URL where a host name belongs, an address with a port, quotes around a text.
 * What it does not understand stays as it is, for the rules to explain.
 */
export function understandValue(recordType: string, typed: string): Understood {
  const value = recordType === "TXT" ? typed.replace(/^\s+|\s+$/g, "") : typed.trim().replace(/\s+/g, " ");
  if (recordType === "TXT") {
    const [, inner] = /^"([^"\\]*)"$/.exec(value) ?? [];
    return inner === undefined ? { value, correction: null } : { value: inner, correction: "quotes" };
  }
  const before = hostAt[recordType];
  const url = /^[a-z][a-z+.-]*:\/\//i;
  if (before !== undefined) {
    const words = value.split(" ");
    const target = words[before] ?? "";
    const host = url.test(target) ? (URL.parse(target)?.hostname ?? "") : "";
    if (host === "") return { value, correction: null };
    return { value: words.with(before, host).join(" "), correction: "url" };
  }
  if (recordType === "A" || recordType === "AAAA") {
    if (url.test(value)) {
      const host = URL.parse(value)?.hostname.replace(/^\[(.*)\]$/, "$1") ?? "";
      return host === "" ? { value, correction: null } : { value: host, correction: "url" };
    }
    const [, address] =
      /^(?:\[([\da-f:.]+)\]|(\d+(?:\.\d+){3})):\d{1,5}$/i.exec(value)?.filter((part) => part !== undefined) ?? [];
    if (address !== undefined) return { value: address, correction: "port" };
  }
  return { value, correction: null };
}

/** What was understood of a typed name. */
export interface UnderstoodName {
  name: string;
  correction: "url" | "zoneTwice" | null;
}

/**
 * Understands a name as people paste it: a URL, the zone's name twice (`www.example.com.example.com`).
 * @param zone the zone's name
 */
export function understandName(typed: string, zone: string): UnderstoodName {
  let name = typed.trim();
  let correction: UnderstoodName["correction"] = null;
  if (/^[a-z][a-z+.-]*:\/\//i.test(name)) {
    const host = URL.parse(name)?.hostname ?? "";
    if (host !== "") {
      name = host;
      correction = "url";
    }
  }
  const twice = `.${zone}.${zone}`;
  if (name.toLowerCase().replace(/\.$/, "").endsWith(twice)) {
    name = name.replace(/\.$/, "").slice(0, -zone.length - 1);
    correction = "zoneTwice";
  }
  return { name, correction };
}
