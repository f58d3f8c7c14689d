import type { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { isFields, textAt } from '../shared/json.ts';
import type { ResourceType } from '../shared/kubernetes.ts';
import { requireThat } from './arguments.ts';

type Fault = Parameters<Awaited<ReturnType<typeof startLocalCluster>>['faults']['add']>[0];
type StatusCode = Extract<Fault['effect'], { kind: 'status' }>['code'];

/** Which requests of the reconciler fail, and how. Without conditions it is every request. */
export interface LawFailure {
  /** Creates and updates of children and statuses are a `patch`; Events are a `create`. */
  readonly verb?: NonNullable<Fault['verb']>;
  /** The plural, or the type: `deployments`. */
  readonly resource?: string | Pick<ResourceType, 'group' | 'plural'>;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** The first of these requests that fails, counted from 1. */
  readonly nth?: number;
  /** How many fail in a row; default: 1 with `nth`, otherwise all. */
  readonly times?: number;
  /** The API server answers this without doing anything: 409 is a conflict. Transient ones are retried. */
  readonly status?: StatusCode;
  /** Instead: the connection breaks before anything happened, or after the write was stored. */
  readonly lost?: 'request' | 'answer';
}

export function faultOf(failure: LawFailure, user: string): Fault {
  requireThat(isFields(failure), ['failure', failure], 'an object, as { status: 503 }');
  const { status, lost, resource, ...which } = failure;
  return { ...which, ...matching(resource), user, effect: effectOf(status, lost) };
}

const matching = (resource: LawFailure['resource']): Pick<Fault, 'resource' | 'group'> => {
  if (resource === undefined) return {};
  if (typeof resource === 'string') return { resource };
  const isType = textAt(resource, 'plural') !== undefined;
  requireThat(isType, ['resource', resource], 'a plural, as deployments, or a type, as deployment');
  return { resource: resource.plural, group: resource.group };
};

function effectOf(status: LawFailure['status'], lost: LawFailure['lost']): Fault['effect'] {
  if ((status === undefined) === (lost === undefined))
    throw new Error(
      'fail: needs either status (409, 410, 429, 500, 503 or 504) or lost (request or answer)',
    );
  const losses = [undefined, 'request', 'answer'];
  requireThat(losses.includes(lost), ['lost', lost], 'request or answer');
  if (lost !== undefined) return { kind: 'drop', when: lost === 'request' ? 'before' : 'after' };
  // So that no test waits for the second that a 429 asks for by default.
  return {
    kind: 'status',
    code: status as StatusCode,
    ...(status === 429 ? { retryAfter: 0 } : {}),
  };
}
