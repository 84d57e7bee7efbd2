import { dataRule } from "./data.ts";
import type { ValueRule } from "./value-rule.ts";

/**
 * SVCB and HTTPS: `<priority> <target> <parameters>` (RFC 9460 §2.1), parameters in canonical order. Priority 0 is alias mode, which has no
 * parameters (§2.4.2). The target `.` is the owner itself.
 */
function serviceRule(recordType: "SVCB" | "HTTPS"): ValueRule {
  return dataRule(recordType, {
    form: '"<priority> <target> <parameters>", such as "1 . alpn=h2,h3" or, as an alias, "0 www.example.net"',
    hostAt: 1,
    warnings: ([priority, target, ...parameters]) => {
      if (priority !== "0") return [];
      return [
        ...(parameters.length > 0 ? ["In alias mode (priority 0), clients ignore the parameters."] : []),
        ...(target === "."
          ? ['In alias mode (priority 0), the target "." says that the service is not available.']
          : []),
      ];
    },
  });
}

export const svcbRule: ValueRule = serviceRule("SVCB");
export const httpsRule: ValueRule = serviceRule("HTTPS");
