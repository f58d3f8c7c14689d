import { ageOf } from '../age.ts';
import { type Check, fail, ok, some, warn } from './check.ts';
import type { Inventory, Resident } from './inventory.ts';

/** Longer than a tick's interval, its run and a restart take. */
const overdueMs = 10 * 60_000;

/** An audit entry takes seconds to arrive; a tick its interval. */
const promptMs = 15_000;

/** So many of the newest resources tell how fast they were answered. */
const sample = 5;

const logs =
  'gcloud logging read \'jsonPayload.message="resynced"\' --limit 3 --format json   # npm start prints the same lines';

/**
 * Whether somebody is at work, by the traces in the cluster.
 *
 * Caveats: a run that finds nothing to do leaves none, so an idle cluster says nothing of its ticks;
 * a resync by command leaves the same traces as a tick.
 */
export function activityChecks(inventory: Inventory, now: Date): readonly Check[] {
  // Nothing follows from what could not be listed.
  if (inventory.failures.length > 0 && inventory.residents.length === 0) return [];
  return [lastWriteCheck(inventory, now), ...overdueChecks(inventory, now), auditCheck(inventory)];
}

function lastWriteCheck({ lastWrite, residents }: Inventory, now: Date): Check {
  const name = 'last write';
  if (lastWrite !== undefined)
    return {
      ...ok(
        name,
        `${ageOf(lastWrite.time, now)} ago, ${lastWrite.time}: ${lastWrite.what}; a tick that finds nothing to do leaves no trace but in the logs`,
      ),
      remedy: logs,
    };
  const message = 'nothing here was written by serverless-reconciler yet';
  return residents.length === 0 ? ok(name, message) : warn(name, message, logs);
}

function overdueChecks({ residents }: Inventory, now: Date): readonly Check[] {
  const name = 'ticks';
  const isWaiting = ({ isSeen, isDeleting, isSuspended }: Resident): boolean =>
    !isSeen && !isDeleting && !isSuspended;
  const overdue = residents.filter(
    (one) => isWaiting(one) && now.getTime() - Date.parse(one.editedAt) > overdueMs,
  );
  if (overdue.length > 0) {
    const names = overdue.map((one) => `${one.name}, edited ${ageOf(one.editedAt, now)} ago`);
    const message = `no run has looked at ${overdue.length} for more than ${overdueMs / 60_000} min: ${some(names)}`;
    return [fail(name, message, logs)];
  }
  if (residents.length === 0) return [];
  const waiting = residents.filter(isWaiting).length;
  const none = 'every edit has been looked at';
  return [ok(name, waiting === 0 ? none : `${waiting} edited just now and not looked at yet`)];
}

function auditCheck({ residents }: Inventory): Check {
  const name = 'audit events';
  const answers = residents
    .flatMap(({ name: resource, createdAt, answeredAt }) => {
      const took = Date.parse(answeredAt ?? '') - Date.parse(createdAt);
      return took >= 0 ? [{ resource, createdAt, took }] : [];
    })
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
    .slice(0, sample);
  const [best] = answers.toSorted((a, b) => a.took - b.took);
  if (best === undefined)
    return warn(
      name,
      'cannot be told from here: no resource has been answered by a child yet',
      logs,
    );
  const seconds = best.took / 1000;
  const fact = `${best.resource} had its first child ${seconds} s after it was made`;
  if (best.took <= promptMs)
    return ok(name, `${fact}: as fast as an audit event, or a tick just then`);
  return warn(
    name,
    `${fact}, the best of the newest ${answers.length}: that is a tick, so audit events seem not to arrive`,
    logs,
  );
}
