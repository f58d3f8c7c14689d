import { type Check, fail, ok, some, warn } from './check.ts';
import type { Inventory } from './inventory.ts';
import type { Remedies } from './remedies.ts';
import type { ResourceFacts } from './resource-facts.ts';

/** What the existing resources need: a valid spec, and functions that run. */
export function resourceChecks(
  { resources, failures }: Inventory,
  remedies: Remedies,
): readonly Check[] {
  const name = 'resources';
  const count = (test: (one: ResourceFacts) => boolean): number => resources.filter(test).length;
  const ready = count(({ isReady }) => isReady);
  const stalled = resources.flatMap((one) => statusLinesOf(one, stallOf(one)));
  const refused = resources.flatMap((one) => statusLinesOf(one, one.refused));
  const contested = resources.filter(({ otherHolders }) => otherHolders.length > 0);
  const suspended = resources.filter(({ isSuspended }) => isSuspended);
  const forbidden = failures.filter(({ isForbidden }) => isForbidden).map(({ type }) => type);
  const status = remedies.reconciler('status');
  const total = `${resources.length}, ${ready} of them ready`;
  return [
    ...(resources.length > 0 ? [ok(name, total)] : []),
    ...(resources.length + failures.length > 0 ? [] : [ok(name, 'none yet')]),
    ...failures
      .filter((one) => !one.isForbidden)
      .map(({ type, message }) =>
        fail(
          name,
          message,
          `${remedies.kubectl(`get -A ${type}`)}   # the same list, which has to succeed`,
        ),
      ),
    ...(forbidden.length === 0
      ? []
      : [warn(name, `not checked, as this user may not list ${forbidden.join(', ')}`)]),
    ...(refused.length === 0
      ? []
      : [fail(name, `${refused.length} would be refused now: ${some(refused)}`, status)]),
    ...(stalled.length === 0
      ? []
      : [warn(name, `${stalled.length} Stalled: ${some(stalled)}`, status)]),
    ...(contested.length === 0 ? [] : [otherReconcilers(contested)]),
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

/** Of the same kind, or this one under a name that it does not know. */
function otherReconcilers(contested: readonly ResourceFacts[]): Check {
  const names = [...new Set(contested.flatMap(({ otherHolders }) => otherHolders))];
  const listed = names.join(', ');
  const lines = contested.map((one) => `${one.name}: ${one.otherHolders.join(', ')}`);
  return warn(
    'resources',
    `the status of ${contested.length} is also held by ${listed}: ${some(lines)}`,
    `if ${listed} runs elsewhere, leave the kind to one of the two (KINDS); if this reconciler had that name, or took the kind over, write in its configuration: formerNames: [${names.map((name) => `'${name}'`).join(', ')}]`,
  );
}

/** A stall for a missing setting is reported with that setting. */
function stallOf({ stalled, blocked }: ResourceFacts): string | undefined {
  if (stalled === undefined || blocked.some(({ reason }) => reason === stalled.reason))
    return undefined;
  return `${stalled.reason}: ${stalled.message}`;
}

const statusLinesOf = ({ name }: ResourceFacts, why: string | undefined): readonly string[] =>
  why === undefined ? [] : [`${name}: ${why}`];
