import { describe, expect, it } from 'vitest';
import { KubeError, UnreachableError } from '../../shared/cluster/errors.ts';
import { deployment, secret } from '../../shared/kinds/child-types.ts';
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
    reason: 'kube-apiserver quotes the value that is no string',
    given: refused(500, 'InternalError', '.data.password: expected string, got Value:hunter2'),
    want: "Secret refused: InternalError; the server's words are withheld, as they may repeat its data",
  },
  Invalid: {
    reason: 'the field is told, the value is not',
    given: refused(422, 'Invalid', 'Invalid value: "hunter2"', 'data[password]'),
    want: "Secret refused: Invalid at data[password]; the server's words are withheld, as they may repeat its data",
  },
  Forbidden: {
    reason: 'who may not do what is no secret',
    given: refused(403, 'Forbidden', 'secrets is forbidden: User "x" cannot patch'),
    want: 'cannot apply Secret default/x: Forbidden: secrets is forbidden: User "x" cannot patch',
  },
  Unreachable: {
    reason: 'nothing was answered',
    given: new UnreachableError('connection lost'),
    want: 'connection lost',
  },
};

describe('a refusal of a Secret', () => {
  it.each(Object.entries(cases))('D-3 %s', async (_, { reason, given, want }) => {
    expect((await explain(noRun, secret, given)).message, reason).toBe(want);
  });

  it('is worded as the server words it for everything else', async () => {
    const error = refused(422, 'Invalid', 'spec.replicas: Invalid value: -1');
    expect((await explain(noRun, deployment, error)).message).toContain('Invalid value: -1');
  });
});
