import { describe, expect, it } from 'vitest';
import { present } from '../../shared/json.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { observeAnnotation } from '../../shared/kinds/names.ts';
import { observeResource } from '../../shared/plan/observed/observed-resource.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import {
  afterCleanUp,
  eventOfEnd,
  finalizerChange,
} from '../../shared/plan/status/finalizer-change.ts';
import type { Finding } from '../../shared/plan/status/finding.ts';
import { depot, finalizer } from '../support/finalizing-kind.ts';
import { identity } from '../support/observe.ts';

const { finalize: _, ...plain } = depot;
const empty = { desiredKeys: [], decisions: [], exposures: [], deletions: [] };
const planned: Plan = { state: 'planned', ...empty };

const resourceWith = (
  finalizers: readonly string[],
  deletionTimestamp?: string,
  annotations: Readonly<Record<string, string>> = {},
) =>
  observeResource(
    depot,
    {
      apiVersion: 'example.org/v1',
      kind: 'Depot',
      metadata: {
        name: 'north',
        namespace: 'a',
        uid: 'u',
        resourceVersion: '7',
        creationTimestamp: '2026-11-26T11:00:00Z',
        annotations,
        ...(finalizers.length > 0 ? { finalizers } : {}),
        ...present({ deletionTimestamp }),
      },
      spec: {},
    },
    { identity },
  );
const deleted = '2026-11-26T12:00:00Z';

const findingWith = (ends?: Finding['ends'], message = 'it waits'): Finding => ({
  summary: { state: 'Reconciling', reason: 'Finalizing', message },
  desired: [],
  others: [],
  acted: false,
  applied: {},
  ...present({ ends }),
});

describe('finalizerChange', () => {
  it.each<[string, Kind, Parameters<typeof resourceWith>, Plan, Finding['ends'], string?]>([
    ['is undefined for a kind without clean-up', plain, [[]], planned, undefined],
    ['adds our finalizer, whatever the plan is', depot, [[]], planned, undefined, 'add'],
    ['adds our finalizer beside those of others', depot, [['a.b/c']], planned, undefined, 'add'],
    ['is undefined once the resource has our finalizer', depot, [[finalizer]], planned, undefined],
    ['is undefined without a plan', depot, [[]], { state: 'suspended' }, undefined],
    ['is undefined for an invalid spec', depot, [[]], { state: 'invalid', message: '' }, undefined],
    [
      'is undefined for a resource being deleted, to which no finalizer can be added',
      depot,
      [['a.b/c'], deleted],
      planned,
      'done',
    ],
    [
      'is undefined before the end of a clean-up',
      depot,
      [[finalizer], deleted],
      planned,
      undefined,
    ],
    [
      'removes our finalizer after the clean-up',
      depot,
      [[finalizer], deleted],
      planned,
      'done',
      'remove',
    ],
    [
      'removes our finalizer after the time limit',
      depot,
      [[finalizer], deleted],
      planned,
      'FinalizeTimedOut',
      'remove',
    ],
    [
      'removes our finalizer if the kind has no clean-up any more',
      plain,
      [[finalizer]],
      planned,
      undefined,
      'remove',
    ],
    [
      'removes our finalizer from a suspended resource, too, if the kind has no clean-up any more',
      plain,
      [[finalizer]],
      { state: 'suspended' },
      undefined,
      'remove',
    ],
    [
      'keeps our finalizer on a resource that is only observed, even if the kind has no clean-up any more',
      plain,
      [[finalizer], undefined, { [observeAnnotation]: 'true' }],
      planned,
      undefined,
    ],
    [
      'removes our finalizer from a resource that is only observed once it is deleted',
      plain,
      [[finalizer], deleted, { [observeAnnotation]: 'true' }],
      planned,
      undefined,
      'remove',
    ],
  ])('%s', (_, kind, given, plan, ends, want) => {
    const world = { kind, resource: resourceWith(...given) };
    expect(finalizerChange(world, plan, findingWith(ends))).toBe(want);
  });
});

describe('eventOfEnd', () => {
  const world = { kind: depot, resource: resourceWith([finalizer], deleted) };

  it.each([undefined, 'done'] as const)('is undefined after %s', (ends) => {
    expect(eventOfEnd(world, findingWith(ends))).toBeUndefined();
  });

  it('names the objects that are left behind in a namespace that is being deleted', () => {
    expect(eventOfEnd(world, findingWith('NamespaceTerminating', 'no Job'))).toEqual({
      type: 'Warning',
      reason: 'NamespaceTerminating',
      message:
        'the clean-up of Depot a/north was not possible; the resource is removed without it: no Job',
      of: deleted,
    });
  });

  it('names the objects for which the clean-up waits after the time limit', () => {
    expect(eventOfEnd(world, findingWith('FinalizeTimedOut', 'no end'))?.message).toBe(
      'the clean-up of Depot a/north was not complete after 600 s; the resource is removed without it: no end',
    );
  });
});

describe('afterCleanUp', () => {
  it('reports nothing about a resource that no longer exists', () => {
    expect(afterCleanUp(resourceWith([finalizer], deleted), findingWith('done'))).toBeUndefined();
  });

  it('reports that finalizers of others keep the resource', () => {
    const kept = afterCleanUp(resourceWith([finalizer, 'a.b/c'], deleted), findingWith('done'));
    expect(kept?.summary).toMatchObject({
      state: 'Reconciling',
      reason: 'Finalized',
      message: 'the clean-up has ended; the resource waits for the finalizers of others: a.b/c',
    });
  });

  it('keeps the finding about a resource that is not deleted', () => {
    const found = findingWith();
    expect(afterCleanUp(resourceWith([finalizer]), found)).toBe(found);
  });
});
