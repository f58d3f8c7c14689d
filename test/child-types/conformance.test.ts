import { globSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { builtInProblem } from '../../shared/kinds/child-types/built-in-types.ts';
import type { Impact } from '../../shared/kinds/impact.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { impactOf } from '../../shared/plan/decision/decision-impact.ts';
import { observeChild } from '../../shared/plan/observed/observed.ts';
import { anything } from '../properties/hostile-objects.ts';
import { effort } from '../properties/runs.ts';
import { casesOf } from '../support/cases.ts';
import { builtInTypes } from '../support/child-types.ts';
import { creationOf, deletionOf, updateOf } from '../support/impacts.ts';
import { identity } from '../support/observe.ts';
import { fileOf, filesWithoutType, subjects, typesWithoutCases } from './all-cases.ts';
import { type ImpactCase, liveOf, type Subject } from './cases.ts';

describe('the child types', () => {
  it('each have a file of cases', () => {
    expect(typesWithoutCases.map((type) => `test/child-types/${fileOf(type)} is missing`)).toEqual(
      [],
    );
    expect(filesWithoutType.map((file) => `test/child-types/${file} is of no type`)).toEqual([]);
  });

  it('with special fields are refused if they are defined by hand', () => {
    for (const { group, version, kind, plural, impact: _, ...special } of builtInTypes) {
      const problem = builtInProblem({ group, version, kind, plural });
      if (Object.keys(special).length === 0) expect(problem, kind).toBeUndefined();
      else expect(problem, kind).toContain(` lacks ${Object.keys(special).join(', ')}; import `);
    }
  });

  it('include every type of shared/kinds/child-types', async () => {
    const directory = join(import.meta.dirname, '../../shared/kinds/child-types');
    const modules = await Promise.all(
      globSync('*.ts', { cwd: directory }).map(
        (file): Promise<object> => import(join(directory, file)),
      ),
    );
    const types = modules
      .flatMap((module): unknown[] => Object.values(module))
      .filter((one): one is ChildType => Object.hasOwn(one as object, 'plural'))
      .filter((one) => typeof one.group === 'string');
    const missing = types.filter((type) => !builtInTypes.includes(type));
    expect(missing.map(({ kind }) => `index.ts does not export ${kind}`)).toEqual([]);
  });
});

describe.each(subjects.map((one) => [one.type.kind, one] as const))('%s', (_, subject) => {
  const { type, readiness = {} } = subject;

  it('reads any live object without an error', () => readsAnything(type));

  it('has cases for ready and for not ready', () => {
    if (type.readiness === undefined) return;
    const states = Object.values(readiness).map(({ want }) => want.state);
    expect(states).toContain('Current');
    expect(states.some((state) => state !== 'Current')).toBe(true);
  });

  it.each(casesOf(readiness))('readiness: %s', (_, { live, want }) => {
    expect(observeChild(type, liveOf(type, live), { identity }).readiness).toEqual(want);
  });

  it.each(impactCasesOf(subject))('impact: %s', (_, { found, want, reason }) => {
    expect(found, reason).toEqual(want);
  });
});

function readsAnything(type: ChildType): void {
  const conditions = fc.array(
    fc.oneof(
      anything,
      fc.record({ type: fc.constantFrom('Ready', 'Failed', 'PodScheduled'), status: anything }),
    ),
    { maxLength: 3 },
  );
  const part = fc.oneof(
    anything,
    fc.dictionary(
      fc.constantFrom('conditions', 'phase', 'replicas', 'template', 'updateStrategy', 'clusterIP'),
      fc.oneof(anything, conditions),
    ),
  );
  fc.assert(
    fc.property(part, part, part, (spec, status, data) => {
      const live = liveOf(type, { spec, status, data, immutable: true } as JsonObject);
      type.readiness?.(live);
      // Facts and the exposure of Ingresses are read in the same way before anything else.
      expect(observeChild(type, live, { identity })).toMatchObject({ facts: expect.any(Object) });
    }),
    effort(100),
  );
}

type ImpactRow = Pick<ImpactCase, 'reason' | 'want'> & { readonly found: readonly Impact[] };

function impactCasesOf({ type, impact }: Subject): readonly (readonly [string, ImpactRow])[] {
  const { created, deleted, changes = {} } = impact;
  const found = ({ fields, desired = {} }: ImpactCase): readonly Impact[] =>
    impactOf(
      fields === undefined ? creationOf(type, desired) : updateOf(type, { fields, desired }),
    );
  return [
    ['created', { reason: '', found: impactOf(creationOf(type)), want: created }],
    ['deleted', { reason: '', found: impactOf(deletionOf(type)), want: deleted }],
    ...Object.entries(changes).map(([name, one]) => [name, { ...one, found: found(one) }] as const),
  ];
}
