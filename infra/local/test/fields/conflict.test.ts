import { describe, expect, it } from 'vitest';
import { conflictCauses } from '../../api-server/fields/conflict.ts';
import { play, type Step, take } from './history.ts';

const apply = (by: string, spec: object, rest: object = {}): Step => ({
  verb: 'apply',
  by,
  spec,
  ...rest,
});
const update = (by: string, spec: object, rest: object = {}): Step => ({
  verb: 'update',
  by,
  spec,
  ...rest,
});

const cases: Record<string, { reason: string; given: readonly Step[]; want: string }> = {
  WithAnApplier: {
    reason: 'an applier is named without a version',
    given: [apply('a', { size: 1 }), apply('b', { size: 2 })],
    want: 'Apply failed with 1 conflict: conflict with "a": .spec.size',
  },
  WithAnUpdater: {
    reason: 'an updater is named with the version it used',
    given: [update('a', { size: 1 }), apply('b', { size: 2 })],
    want: 'Apply failed with 1 conflict: conflict with "a" using example.com/v1: .spec.size',
  },
  WithAStatusWriter: {
    reason: 'the writer of a subresource is named with it',
    given: [
      apply('a', { size: 1 }),
      apply('a', {}, { subresource: 'status', status: { phase: 'on' } }),
      { verb: 'apply', by: 'b', status: { phase: 'off' } },
    ],
    want: 'Apply failed with 1 conflict: conflict with "a" with subresource "status": .status.phase',
  },
  WithSeveral: {
    reason: 'several conflicts are grouped by manager, in order',
    given: [
      update('z', { image: 'x', labels: { l: '1' } }),
      apply('a', { size: 1, ports: [{ port: 80, name: 'n' }] }),
      apply('b', { size: 2, image: 'y', labels: { l: '2' }, ports: [{ port: 80, name: 'm' }] }),
    ],
    want: [
      'Apply failed with 4 conflicts: conflicts with "a":',
      '- .spec.size',
      '- .spec.ports[port=80,protocol="TCP"].name',
      'conflicts with "z" using example.com/v1:',
      '- .spec.image',
      '- .spec.labels.l',
    ].join('\n'),
  },
};

describe.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
  it(reason, () => {
    expect(play(given).refused).toBe(want);
  });
});

describe('the causes', () => {
  it('name the manager and the field', () => {
    const { object } = play([update('a', { size: 1 })]);
    const result = take(apply('b', { size: 2 }), object, 1);
    expect(result.kind === 'conflict' && conflictCauses(result.conflicts)).toEqual([
      {
        reason: 'FieldManagerConflict',
        message: 'conflict with "a" using example.com/v1',
        field: '.spec.size',
      },
    ]);
  });
});

describe('kubectl apply --server-side', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const lastApplied = (spec: object): object => ({
    annotations: {
      [annotation]: JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Web', spec }),
    },
  });
  const created = (spec: object, was: object = spec): Step =>
    update('kubectl-client-side-apply', spec, { metadata: lastApplied(was) });

  it('takes over what kubectl apply wrote, and renews its annotation', () => {
    const { object } = play([created({ size: 1 }), apply('kubectl', { size: 2 })]);
    expect(object).toMatchObject({
      spec: { size: 2 },
      metadata: {
        annotations: {
          [annotation]:
            '{"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"web"},"spec":{"size":2}}\n',
        },
      },
    });
  });

  it('still conflicts if another manager changed what kubectl apply wrote', () => {
    const { refused } = play([created({ size: 3 }, { size: 1 }), apply('kubectl', { size: 2 })]);
    expect(refused).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using example.com/v1: .spec.size',
    );
  });

  it('applies to the manager kubectl only', () => {
    expect(play([created({ size: 1 }), apply('other', { size: 2 })]).refused).toMatch(/1 conflict/);
  });
});
