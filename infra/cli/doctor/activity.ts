import { ageOf } from '../age.ts';
import { auditCheck } from './audit-events.ts';
import { type Check, fail, ok, some, warn } from './check.ts';
import type { Circumstances } from './circumstances.ts';
import type { Inventory } from './inventory.ts';

/**
 * Whether the functions are running, judged by the traces in the cluster.
 *
 * Caveats: a run that finds nothing to do leaves none, so missing ticks can be detected, but not
 * present ones; a resync by command leaves the same traces as a tick.
 */
export function activityChecks(inventory: Inventory, at: Circumstances): readonly Check[] {
  // Nothing can be concluded from what could not be listed.
  if (inventory.failures.length > 0 && inventory.residents.length === 0) return [];
  return [
    lastWriteCheck(inventory, at),
    ticksCheck(inventory, at),
    auditCheck(inventory.residents, at),
  ];
}

function lastWriteCheck({ lastWrite, residents }: Inventory, { now, logs }: Circumstances): Check {
  const name = 'last write';
  if (lastWrite !== undefined) {
    const { time, what } = lastWrite;
    return ok(name, `${ageOf(time, now)} ago, ${time}: ${what}`);
  }
  const message = 'nothing here was written by serverless-reconciler yet';
  return residents.length === 0 ? ok(name, message) : warn(name, message, logs.ticks);
}

/** Two ticks have passed: one may have been under way when the edit was made. */
const patience = 2;

function ticksCheck({ residents }: Inventory, { now, interval, logs }: Circumstances): Check {
  const name = 'ticks';
  const waiting = residents.filter(({ isWaiting }) => isWaiting);
  const overdue = waiting.filter(
    ({ editedAt }) => now.getTime() - Date.parse(editedAt) > patience * interval.ms,
  );
  if (overdue.length > 0) {
    const names = overdue.map((one) => `${one.name}, edited ${ageOf(one.editedAt, now)} ago`);
    return fail(
      name,
      `no run has looked at ${overdue.length} within two intervals of ${interval.text}: ${some(names)}`,
      logs.ticks,
    );
  }
  const still = waiting.length === 0 ? '' : `; ${waiting.length} edited and not looked at yet`;
  return warn(
    name,
    `the cluster cannot tell, as a tick that finds nothing to do writes nothing${still}`,
    logs.ticks,
  );
}
