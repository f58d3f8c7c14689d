import { type Check, fail, some, warn } from './check.ts';
import { type Installation, settingOf } from './installation.ts';
import type { Reason, ResourceFacts } from './resource-facts.ts';

/** Settings that resources need and the local configuration lacks: one check for each setting. */
export function settingChecks(
  resources: readonly ResourceFacts[],
  settings: readonly string[],
  installation: Installation,
): readonly Check[] {
  const reasons = new Map(
    resources.flatMap(({ blocked }) => blocked.map((one) => [one.reason, one] as const)),
  );
  return [...reasons.values()].flatMap((reason) => {
    const wanting = resources.filter(({ blocked }) =>
      blocked.some((one) => one.reason === reason.reason),
    );
    const given = wanting.filter((one) => isSetForFunctions(one, reason));
    const lacking = wanting.filter((one) => !given.includes(one));
    const variable = settings.find((name) => reason.message.includes(name)) ?? reason.message;
    return [
      ...(lacking.length === 0
        ? []
        : [
            fail(
              'settings',
              `${reason.reason}: ${variable} is not set, and ${lacking.length} need it: ${namesOf(lacking)}`,
              settingOf(variable, installation),
            ),
          ]),
      ...(given.length === 0
        ? []
        : [
            warn(
              'settings',
              `${variable} is not set here, but the functions seem to have it: ${namesOf(given)}`,
              `export ${variable}=…   # as the functions have it; without it, plans made here differ`,
            ),
          ]),
    ];
  });
}

/** A run has reconciled it and not reported the setting. */
const isSetForFunctions = (
  { answeredAt, isSuspended, stalled }: ResourceFacts,
  why: Reason,
): boolean => answeredAt !== undefined && !isSuspended && stalled?.reason !== why.reason;

const namesOf = (resources: readonly ResourceFacts[]): string =>
  some(resources.map(({ name }) => name));
