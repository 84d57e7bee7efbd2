/** A browser or program, as far as its user agent says. */
export interface Device {
  /** The browser or program; null if it does not say. */
  program: string | null;
  /** Its operating system; null if it is unknown. */
  system: string | null;
  kind: "computer" | "phone" | "program";
}

/** Names of browsers by their token. The first that matches counts: most browsers also claim to be others. */
const browsers = [
  [/\bEdg(?:A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\//, "Chrome"],
  [/\bChromium\//, "Chromium"],
  [/\bVersion\/[\d.]+.*\bSafari\//, "Safari"],
] as const;

const systems = [
  [/\biPhone\b/, "iPhone", "phone"],
  [/\biPad\b/, "iPad", "phone"],
  [/\bAndroid\b/, "Android", "phone"],
  [/\bWindows NT\b/, "Windows", "computer"],
  [/\bCrOS\b/, "ChromeOS", "computer"],
  [/\bMac OS X\b/, "macOS", "computer"],
  [/\bLinux\b/, "Linux", "computer"],
] as const;

/** Reads a user agent as people name devices. Others can write anything into it: it is a hint, never a proof. */
export function deviceOf(userAgent: string | null): Device {
  const agent = (userAgent ?? "").slice(0, 512);
  const browser = browsers.find(([pattern]) => pattern.test(agent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(agent));
  if (browser) return { program: browser, system: system?.[1] ?? null, kind: system?.[2] ?? "computer" };
  // Programs start with their own name and version (RFC 9110 §10.1.5).
  const program = /^[^\s/()]{1,40}/.exec(agent)?.[0] ?? null;
  return { program: program === "Mozilla" ? null : program, system: system?.[1] ?? null, kind: "program" };
}
