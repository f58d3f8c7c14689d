import { describe, expect, it } from 'vitest';
import { KubeError, UnreachableError } from '../../shared/cluster/errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import { explain } from '../../shared/reconcile/refusal.ts';
import type { Run } from '../../shared/reconcile/run.ts';

const refused = (code: number, reason: string, message: string, field?: string): KubeError =>
  new KubeError('apply Secret default/x', {
    code,
    status: { reason, message, details: { causes: field === undefined ? [] : [{ field }] } },
  });

const noRun = {} as Run;

const cases: Record<string, { reason: string; given: Error; want: string }> = {
  Untypable: {
    reason: 'kube-apiserver quotes values that are not strings',
    given: refused(500, 'InternalError', '.data.password: expected string, got Value:hunter2'),
    want: "Secret refused: InternalError; the server's message is withheld, as it may contain the Secret's data",
  },
  Invalid: {
    reason: 'the field is named, the value is not',
    given: refused(422, 'Invalid', 'Invalid value: "hunter2"', 'data[password]'),
    want: "Secret refused: Invalid at data[password]; the server's message is withheld, as it may contain the Secret's data",
  },
  Forbidden: {
    reason: 'a missing right is no secret',
    given: refused(403, 'Forbidden', 'secrets is forbidden: User "x" cannot patch'),
    want: 'cannot apply Secret default/x: Forbidden: secrets is forbidden: User "x" cannot patch',
  },
  Unreachable: {
    reason: 'no response',
    given: new UnreachableError('connection lost'),
    want: 'connection lost',
  },
};

describe('a refusal of a Secret', () => {
  it.each(Object.entries(cases))('D-3 %s', async (_, { reason, given, want }) => {
    expect((await explain(noRun, secret, given)).message, reason).toBe(want);
  });

  it("keeps the server's message for other kinds", async () => {
    const error = refused(422, 'Invalid', 'spec.replicas: Invalid value: -1');
    expect((await explain(noRun, deployment, error)).message).toContain('Invalid value: -1');
  });
});

const holders = { nodePorts: async () => new Map([[31_998, 'team/theirs']]) } as unknown as Run;

const taken = 'provided port is already allocated';
const portRefusals: Record<string, { reason: string; given: KubeError; want: object }> = {
  NodePort: {
    reason: 'a 422 names field and value',
    given: new KubeError('apply Service default/x', {
      code: 422,
      status: {
        reason: 'Invalid',
        message: 'Service "x" is invalid',
        details: {
          causes: [{ field: 'spec.ports[0].nodePort', message: `Invalid value: 31998: ${taken}` }],
        },
      },
    }),
    want: { reason: 'NodePortTaken', transient: false },
  },
  HealthCheckNodePort: {
    reason: 'kube-apiserver answers 500, which is not retried here',
    given: refused(
      500,
      'InternalError',
      `Internal error occurred: failed to allocate requested HealthCheck NodePort 31998: ${taken}`,
    ),
    want: {
      reason: 'NodePortTaken',
      message: 'node port 31998 is held by Service team/theirs',
      transient: false,
    },
  },
  Freed: {
    reason: 'no Service holds it any more',
    given: refused(
      500,
      'InternalError',
      `failed to allocate requested HealthCheck NodePort 31997: ${taken}`,
    ),
    want: { reason: 'NodePortTaken', transient: true },
  },
  OtherFailure: {
    reason: 'any other 500 is transient',
    given: refused(500, 'InternalError', 'etcdserver: request timed out'),
    want: { reason: 'InternalError', transient: true },
  },
};

describe('a refusal of a Service', () => {
  it.each(Object.entries(portRefusals))('W-3 %s', async (_, { reason, given, want }) => {
    expect(await explain(holders, service, given), reason).toMatchObject(want);
  });
});
