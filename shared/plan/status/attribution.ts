import { present } from '../../json.ts';
import { nameInText } from '../../printable.ts';
import type { Outcome } from '../decision/outcome.ts';
import { type Actor, type Cause, isAbout, isDeletion, lastOf } from '../drift/cause.ts';
import type { Difference } from '../drift/differences.ts';

/** Tolerance for times: managedFields have whole seconds, and show a time after the request's arrival. */
const leewayMs = 2_000;

/**
 * Adds to the outcome of a repair the user who made it necessary.
 *
 * Guarantees: uses only audit entries about this child. A changed field is matched by the time of its
 * manager's last write; a removed field or a deleted child by the last write or deletion.
 */
export function attributed(outcome: Outcome, namespace: string, causes: readonly Cause[]): Outcome {
  const own = causes.filter((cause) => isAbout(cause, outcome.child, namespace));
  if (own.length === 0) return outcome;
  const deleter = outcome.lost === true ? lastOf(own.filter(isDeletion)) : undefined;
  const changes = own.filter((cause) => !isDeletion(cause));
  const differences = outcome.differences?.map((one) => withActor(one, changes));
  return {
    ...outcome,
    ...present({ by: deleter && actorOf(deleter) }),
    ...present({ differences }),
  };
}

function withActor(difference: Difference, causes: readonly Cause[]): Difference {
  const { writer, from } = difference;
  const time = writer?.time;
  if (writer === undefined && from !== undefined) return difference;
  const fitting =
    time === undefined
      ? causes
      : causes.filter((cause) => Math.abs(Date.parse(cause.time) - Date.parse(time)) <= leewayMs);
  const cause = lastOf(fitting);
  if (cause === undefined) return difference;
  const actor = actorOf(cause);
  return { ...difference, writer: { manager: actor.agent ?? 'unknown', time, ...writer, actor } };
}

const actorOf = ({ user, agent, time }: Cause): Actor => ({ user, agent, time });

/** Formats ` by jane@example.com with kubectl at 10:02 UTC (audit log)`. Quotes names that read like prose. */
export const describeActor = ({ user, agent, time }: Actor): string =>
  ` by ${nameInText(user)}${agent === undefined ? '' : ` with ${nameInText(agent)}`} at ${new Date(time).toISOString().slice(11, 16)} UTC (audit log)`;
