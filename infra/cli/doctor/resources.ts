import { type Check, fail, ok, some, warn } from './check.ts';
import type { Inventory, Resident } from './inventory.ts';
import type { Remedies } from './remedies.ts';

/** What the resources there are need: a spec that is let in, a configuration, somebody to look. */
export function resourceChecks(
  { residents, failures }: Inventory,
  remedies: Remedies,
): readonly Check[] {
  const name = 'resources';
  const count = (test: (one: Resident) => boolean): number => residents.filter(test).length;
  const ready = count(({ isReady }) => isReady);
  const stalled = residents.flatMap((one) => saidOf(one, one.stalled));
  const refused = residents.flatMap((one) => saidOf(one, one.refused));
  const blocked = residents.flatMap((one) => one.blocked.flatMap((why) => saidOf(one, why)));
  const suspended = residents.filter(({ isSuspended }) => isSuspended).map((one) => one.name);
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
    ...(blocked.length === 0
      ? []
      : [fail('settings', `${blocked.length} wanted and not possible: ${some(blocked)}`)]),
    ...(stalled.length === 0
      ? []
      : [warn(name, `${stalled.length} Stalled: ${some(stalled)}`, status)]),
    ...(suspended.length === 0
      ? []
      : [warn(name, `${suspended.length} suspended: ${some(suspended)}`, status)]),
  ];
}

const saidOf = ({ name }: Resident, why: string | undefined): readonly string[] =>
  why === undefined ? [] : [`${name}: ${why}`];
