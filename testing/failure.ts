import type { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { isFields, textAt } from '../shared/json.ts';
import type { ResourceType } from '../shared/kubernetes.ts';
import { requireThat } from './arguments.ts';

type Fault = Parameters<Awaited<ReturnType<typeof startLocalCluster>>['faults']['add']>[0];
type StatusCode = Extract<Fault['effect'], { kind: 'status' }>['code'];

/** Which of the reconciler's requests fail, and how. If none are selected, all fail. */
export interface LawFailure {
  /** The verb of the request. Children and statuses are created and updated by `patch`, Events by `create`. */
  readonly verb?: NonNullable<Fault['verb']>;
  /** The type of the requested objects, or its plural, such as `deployments`. */
  readonly resource?: string | Pick<ResourceType, 'group' | 'plural'>;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** The number of the first request that fails, counted from 1. */
  readonly nth?: number;
  /** The number of requests that fail in a row; default: 1 if `nth` is set, otherwise all. */
  readonly times?: number;
  /**
   * Status code of the response: 404 for a type that is not served, 409 for a conflict. The request has no
   * effect. Transient errors are retried.
   */
  readonly status?: StatusCode;
  /**
   * Loses the connection instead of responding: before the request takes effect (`request`), or afterwards
   * (`response`).
   */
  readonly lost?: 'request' | 'response';
}

export function faultOf(failure: LawFailure, user: string): Fault {
  requireThat(isFields(failure), ['failure', failure], 'an object such as { status: 503 }');
  const { status, lost, resource, ...which } = failure;
  return { ...which, ...matching(resource), user, effect: effectOf(status, lost) };
}

const matching = (resource: LawFailure['resource']): Pick<Fault, 'resource' | 'group'> => {
  if (resource === undefined) return {};
  if (typeof resource === 'string') return { resource };
  const isType = textAt(resource, 'plural') !== undefined;
  requireThat(
    isType,
    ['resource', resource],
    "a plural such as 'deployments', or a child type such as deployment",
  );
  return { resource: resource.plural, group: resource.group };
};

function effectOf(status: LawFailure['status'], lost: LawFailure['lost']): Fault['effect'] {
  if ((status === undefined) === (lost === undefined))
    throw new Error(
      '`fail` needs either `status` (404, 409, 410, 429, 500, 503 or 504) or `lost` (request or response)',
    );
  const losses = [undefined, 'request', 'response'];
  requireThat(losses.includes(lost), ['lost', lost], 'request or response');
  if (lost !== undefined) return { kind: 'drop', when: lost === 'request' ? 'before' : 'after' };
  // Sets Retry-After to zero, because a 429 otherwise requests a delay of one second.
  return {
    kind: 'status',
    code: status as StatusCode,
    ...(status === 429 ? { retryAfter: 0 } : {}),
  };
}
