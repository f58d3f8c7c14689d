import { type Check, fail, ok, some, warn } from './check.ts';
import type { Inventory } from './inventory.ts';
import type { Remedies } from './remedies.ts';
import type { Resident } from './resident.ts';

/** What the existing resources need: a valid spec, and functions that run. */
export function resourceChecks(
  { residents, failures }: Inventory,
  remedies: Remedies,
): readonly Check[] {
  const name = 'resources';
  const count = (test: (one: Resident) => boolean): number => residents.filter(test).length;
  const ready = count(({ isReady }) => isReady);
  const stalled = residents.flatMap((one) => saidOf(one, stallOf(one)));
  const refused = residents.flatMap((one) => saidOf(one, one.refused));
  const suspended = residents.filter(({ isSuspended }) => isSuspended);
  const forbidden = failures.filter(({ isForbidden }) => isForbidden).map(({ type }) => type);
  const status = remedies.reconciler('status');
  const total = `${residents.length}, ${ready} of them ready`;
  return [
    ...(residents.length > 0 ? [ok(name, total)] : []),
    ...(residents.length + failures.length > 0 ? [] : [ok(name, 'none yet')]),
    ...failures.filter((one) => !one.isForbidden).map(({ message }) => fail(name, message)),
    ...(forbidden.length === 0
      ? []
      : [warn(name, `not looked at, as this user may not list ${forbidden.join(', ')}`)]),
    ...(refused.length === 0
      ? []
      : [fail(name, `${refused.length} would be refused now: ${some(refused)}`, status)]),
    ...(stalled.length === 0
      ? []
      : [warn(name, `${stalled.length} Stalled: ${some(stalled)}`, status)]),
    ...(suspended.length === 0
      ? []
      : [
          warn(
            name,
            `${suspended.length} suspended: ${some(suspended.map((one) => one.name))}`,
            status,
          ),
        ]),
  ];
}

/** What needs a missing setting is reported with that setting. */
function stallOf({ stalled, blocked }: Resident): string | undefined {
  if (stalled === undefined || blocked.some(({ reason }) => reason === stalled.reason))
    return undefined;
  return `${stalled.reason}: ${stalled.message}`;
}

const saidOf = ({ name }: Resident, why: string | undefined): readonly string[] =>
  why === undefined ? [] : [`${name}: ${why}`];
