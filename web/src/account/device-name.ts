import { accountWords } from "../words/account.ts";
import { deviceOf } from "./device.ts";

/** “Chrome on Linux”, “curl”, or that it is unknown. */
export function deviceName(userAgent: string | null): string {
  const { program, system } = deviceOf(userAgent);
  if (program !== null && system !== null) return accountWords.device(program, system);
  return program ?? system ?? accountWords.unknownDevice;
}
