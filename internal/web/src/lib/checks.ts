// What a checkup asks of the person.
import type { Check } from "./model_upkeep";

/** The checks that need the person: faults first, then what is to be set up. Today and Health count the same ones. */
export const needing = (checks: readonly Check[]): Check[] => {
  const of = (state: Check["state"]): Check[] => checks.filter((k) => k.state === state);
  return [...of("fail"), ...of("warn"), ...of("info").filter((k) => k.fix.length > 0)];
};
