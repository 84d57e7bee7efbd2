import { dataRule } from "./data.ts";
import type { ValueRule } from "./value-rule.ts";

/** NAPTR: `<order> <preference> "<flags>" "<services>" "<regexp>" <replacement>` (RFC 3403 §4.1). */
export const naptrRule: ValueRule = dataRule("NAPTR", {
  form: '\'<order> <preference> "<flags>" "<services>" "<regexp>" <replacement>\', such as \'100 10 "s" "SIP+D2U" "" _sip._udp.example.com\'',
  hostAt: 5,
  warnings: ([, , , , expression = "", replacement = ""]) =>
    expression !== "" && replacement !== "."
      ? [
          'Use either a regular expression or a replacement. With an expression, the replacement must be "." (RFC 3403 §4.1).',
        ]
      : [],
});
