import { ageOf } from '../age.ts';
import { auditCheck } from './audit-events.ts';
import { type Check, fail, ok, some, warn } from './check.ts';
import type { CheckContext } from './check-context.ts';
import type { Inventory } from './inventory.ts';

/**
 * Whether the functions are running, judged by the traces in the cluster.
 *
 * Caveats: a run that finds nothing to do leaves none, so missing ticks can be detected, but not
 * present ones; a resync by command leaves the same traces as a tick.
 */
export function activityChecks(inventory: Inventory, at: CheckContext): readonly Check[] {
  // Nothing can be concluded from what could not be listed.
  if (inventory.failures.length > 0 && inventory.resources.length === 0) return [];
  return [
    lastWriteCheck(inventory, at),
    ticksCheck(inventory, at),
    auditCheck(inventory.resources, at),
  ];
}

function lastWriteCheck(
  { lastWrite, resources }: Inventory,
  { reconciler, now, logs }: CheckContext,
): Check {
  const name = 'last write';
  if (lastWrite !== undefined) {
    const { time, what } = lastWrite;
    return ok(name, `${ageOf(time, now)} ago, ${time}: ${what}`);
  }
  const message = `${reconciler} has not written anything here yet`;
  return resources.length === 0 ? ok(name, message) : warn(name, message, logs.ticks);
}

/** Ticks that an edit may wait for: one may have been running when it was made. */
const missedTicksAllowed = 2;

function ticksCheck({ resources }: Inventory, { now, interval, logs }: CheckContext): Check {
  const name = 'ticks';
  const waiting = resources.filter(({ isWaiting }) => isWaiting);
  const overdue = waiting.filter(
    ({ editedAt }) => now.getTime() - Date.parse(editedAt) > missedTicksAllowed * interval.ms,
  );
  if (overdue.length > 0) {
    const names = overdue.map((one) => `${one.name}, edited ${ageOf(one.editedAt, now)} ago`);
    return fail(
      name,
      `no run has reconciled ${overdue.length} within two intervals of ${interval.text}: ${some(names)}`,
      logs.ticks,
    );
  }
  const still = waiting.length === 0 ? '' : `; ${waiting.length} edited and not reconciled yet`;
  return warn(
    name,
    `cannot be determined from the cluster, as a tick that finds nothing to do writes nothing${still}`,
    logs.ticks,
  );
}
