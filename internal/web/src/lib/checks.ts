// What a checkup asks of the person.
import type { Check } from "./model_upkeep";

/** Whether a check found something required that is not set up, such as the hooks of any agent. */
export const unset = (k: Check): boolean => k.state === "info" && k.required && k.fix.length > 0;

/** The checks that need the person: faults first, then what is to be set up. Today and Health count the same ones. */
export const needing = (checks: readonly Check[]): Check[] => [
  ...checks.filter((k) => k.state === "fail"), ...checks.filter((k) => k.state === "warn"), ...checks.filter(unset),
];
