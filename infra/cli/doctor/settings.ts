import { variables } from '../../../shared/config/config.ts';
import { type Check, fail, some, warn } from './check.ts';
import { type Place, settingOf } from './logs.ts';
import type { Reason, Resident } from './resident.ts';

/** Settings that resources need and the local configuration lacks: one check for each setting. */
export function settingChecks(residents: readonly Resident[], place: Place): readonly Check[] {
  const reasons = new Map(
    residents.flatMap(({ blocked }) => blocked.map((one) => [one.reason, one] as const)),
  );
  return [...reasons.values()].flatMap((reason) => {
    const wanting = residents.filter(({ blocked }) =>
      blocked.some((one) => one.reason === reason.reason),
    );
    const given = wanting.filter((one) => isGivenThere(one, reason));
    const lacking = wanting.filter((one) => !given.includes(one));
    const variable = variableIn(reason) ?? reason.message;
    return [
      ...(lacking.length === 0
        ? []
        : [
            fail(
              'settings',
              `${reason.reason}: ${variable} is not set, and ${lacking.length} need it: ${namesOf(lacking)}`,
              settingOf(variable, place),
            ),
          ]),
      ...(given.length === 0
        ? []
        : [
            warn(
              'settings',
              `${variable} is not set here, but the functions seem to have it: ${namesOf(given)}`,
              `export ${variable}=…   # as the functions have it: a plan made here is another one without`,
            ),
          ]),
    ];
  });
}

/** A run has read it, and reported nothing. */
const isGivenThere = ({ answeredAt, isSuspended, stalled }: Resident, why: Reason): boolean =>
  answeredAt !== undefined && !isSuspended && stalled?.reason !== why.reason;

const variableIn = ({ message }: Reason): string | undefined =>
  Object.keys(variables).find((variable) => message.includes(variable));

const namesOf = (residents: readonly Resident[]): string => some(residents.map(({ name }) => name));
