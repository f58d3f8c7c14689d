import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { present } from '../../shared/json.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';
import type { Resource } from '../../shared/kinds/reads.ts';
import { nameAtMost, withRules } from '../../shared/kinds/schema/rules.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { casesOf } from '../support/cases.ts';
import { kinds } from '../support/config.ts';
import { findingsOf } from '../support/findings.ts';
import { childTypes } from '../support/observe.ts';

const seen: Resource<unknown>[] = [];
const probe = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Probe',
  plural: 'probes',
  spec: Type.Object({
    name: Type.String({ maxLength: 3 }),
    size: Type.Integer({ default: 2 }),
    inner: Type.Object({ deep: Type.Optional(Type.Boolean({ default: true })) }, { default: {} }),
    any: Type.Optional(Type.Unknown()),
    fraction: Type.Optional(Type.Number()),
    list: Type.Optional(
      Type.Array(
        Type.Object(
          { path: Type.String() },
          withRules({
            rule: "self.path != 'odd'",
            holds: ({ path }: { readonly path: string }) => path !== 'odd',
            message: 'is odd',
            fieldPath: '.path',
          }),
        ),
      ),
    ),
  }),
  rules: [nameAtMost(9)],
  samples: [{ name: 'sample', spec: { name: 'abc' } }],
  owns: [],
  refuse: ({ name }) => (name === 'bad' ? `${name} is no good` : undefined),
  children(resource) {
    seen.push(resource);
    return [];
  },
});

const resource = { name: 'one', namespace: 'default', uid: 'u', createdAt: '2026-01-01T00:00:00Z' };

interface Case {
  readonly reason: string;
  readonly given: unknown;
  readonly want: unknown;
}

const cases: Record<string, Case> = {
  Missing: {
    reason: 'the field is named',
    given: {},
    want: { invalid: expect.stringMatching(/^spec .*name/) },
  },
  TooLong: {
    reason: 'the path is written as users write it',
    given: { name: 'abcd' },
    want: { invalid: expect.stringMatching(/^spec\.name /) },
  },
  RuleInList: {
    reason: 'a rule names the field, and the item by its index',
    given: { name: 'bad', list: [{ path: 'x' }, { path: 'odd' }] },
    want: { invalid: 'spec.list[1].path: is odd' },
  },
  InList: {
    reason: 'items are named by their index',
    given: { name: 'a', list: [{ path: 'x' }, { path: 1 }] },
    want: { invalid: expect.stringMatching(/^spec\.list\.1\.path /) },
  },
  Several: {
    reason: 'all errors are reported at once, in a stable order',
    given: { name: 'abcd', size: 'x' },
    want: { invalid: expect.stringMatching(/^spec\.name .*; spec\.size [^;]*$/) },
  },
  Null: {
    reason: 'null is not an integer',
    given: { name: 'a', size: null },
    want: { invalid: expect.stringMatching(/^spec\.size /) },
  },
  Inexact: {
    reason: 'the API server stores 2^53 + 1, which JavaScript reads as 2^53',
    given: JSON.parse('{ "name": "bad", "size": 9007199254740993 }'),
    want: {
      invalid:
        'spec.size is beyond ±9007199254740991, so it may have been rounded; make it a string',
    },
  },
  InexactBelow: {
    reason: 'a value without a schema is read in the same way',
    given: JSON.parse('{ "name": "a", "any": { "b": [1e300, { "c": -9007199254740993 }] } }'),
    want: {
      invalid: expect.stringMatching(/^spec\.any\.b\[1\]\.c is beyond/),
    },
  },
  Refused: {
    reason: "the kind's own rule comes after the schema",
    given: { name: 'bad' },
    want: { invalid: 'bad is no good' },
  },
};

describe('a kind', () => {
  it.each(casesOf(cases))('C-9 refuses %s', (_, { given, want }) => {
    expect(probe.desired({ ...resource, spec: given })).toEqual(want);
  });

  it('accepts a number beyond 2^53 that the API server rounds, too', () => {
    const spec = { name: 'a', fraction: 2 ** 60, any: 1e300 };
    expect(probe.desired({ ...resource, spec })).toEqual([]);
  });

  it('C-9 refuses a resource for its name', () => {
    expect(probe.desired({ ...resource, name: 'ten-letter', spec: { name: 'a' } })).toEqual({
      invalid: 'metadata.name must have at most 9 characters',
    });
  });

  it('fills in defaults, also nested ones, before it asks for children', () => {
    seen.length = 0;
    probe.desired({ ...resource, spec: { name: 'a' } });
    const spec = { name: 'a', size: 2, inner: { deep: true } };
    expect(seen).toEqual([{ ...resource, spec, reads: {}, isPast: expect.any(Function) }]);
  });

  it('is ready as a child of another kind once a run has reported it', () => {
    const live = {
      apiVersion: 'example.org/v1',
      kind: 'Probe',
      metadata: {
        name: 'a',
        uid: 'u',
        createdAt: '2026-01-01T00:00:00Z',
        resourceVersion: '1',
        generation: 2,
        creationTimestamp: '2026-11-22T10:00:00Z',
      },
    };
    const stateWith = (status?: JsonObject) =>
      probe.readiness?.({ ...live, ...present({ status }) }).state;
    expect(stateWith(), 'no run has read it').toBe('InProgress');
    expect(stateWith({ phase: 'Ready' }), 'written by others').toBe('InProgress');
    expect(stateWith({ observedGeneration: 1 }), 'before its edit').toBe('InProgress');
    expect(stateWith({ observedGeneration: 2 })).toBe('Current');
    const conditions = [{ type: 'Ready', status: 'False' }];
    expect(stateWith({ observedGeneration: 2, conditions })).toBe('InProgress');
  });

  it('has no notes and no status fields unless it defines them', () => {
    expect(probe.notes({ newGeneration: true, completed: true, changes: [] })).toEqual([]);
    expect(probe.ownStatus(findingsOf({})).fields).toEqual({});
    expect({ ...probe }).toMatchObject({ columns: [], shortNames: [] });
  });
});

describe('the fields that `statusOf` returns', () => {
  const statusOf = (returned: unknown) =>
    defineKind({
      group: 'example.com',
      version: 'v1',
      kind: 'Probe',
      plural: 'probes',
      spec: Type.Object({}),
      status: {
        share: Type.Integer(),
        at: Type.String(),
        any: Type.Unknown(),
        list: Type.Array(
          Type.Object({ port: Type.Integer(), weight: Type.Integer({ default: 1 }) }),
        ),
        path: Type.String(
          withRules({ rule: "self != ''", holds: (text) => text !== '', message: 'is empty' }),
        ),
      },
      samples: [],
      owns: [],
      children: () => [],
      statusOf: () => returned as JsonObject,
    }).ownStatus(findingsOf({})).fields;

  it.each([
    [{}],
    [{ share: 2, at: undefined, phase: undefined, any: { deep: [null, true, { a: undefined }] } }],
    [{ share: 2 ** 62, any: 2 ** 64 }],
    [{ list: [{ port: 80, weight: 3 }], path: '/' }],
    [{ any: Object.assign(Object.create(null), { a: 1 }) }],
  ])('may be %j', (returned) => {
    expect(statusOf(returned)).toEqual(returned);
  });

  it('get the defaults of the schema', () => {
    expect(statusOf({ list: [{ port: 80 }] })).toEqual({ list: [{ port: 80, weight: 1 }] });
  });

  it.each([
    [{ share: 5 / 4 }, '.share must be integer; it returned {"share":1.25}'],
    [{ share: '1' }, '.share must be integer; it returned {"share":"1"}'],
    [{ share: Number.NaN }, '.share is NaN, which is not a JSON value'],
    [{ share: 3n }, '.share is 3, which is not a JSON value'],
    [{ at: new Date(0) }, '.at is an object of class Date, which is not a JSON value'],
    [
      { any: { deep: [new Map()] } },
      '.any.deep[0] is an object of class Map, which is not a JSON value',
    ],
    [{ any: [undefined] }, '.any[0] is undefined, which is not a JSON value'],
    [{ phase: 'x' }, ".phase is not in the kind's status; declare it there"],
    [
      { list: [{ port: 1, size: 1 }] },
      ".list[0].size is not in the kind's status; declare it there",
    ],
    [
      { list: [{ port: 'a' }] },
      '.list.0.port must be integer; it returned {"list":[{"port":"a"}]}',
    ],
    [
      { list: [{ port: undefined }] },
      '.list.0 must have required properties port; it returned {"list":[{}]}',
    ],
    [{ path: '' }, '.path: is empty'],
    [[1], ' must be object; it returned [1]'],
    ['x', ' must be object; it returned "x"'],
    [Promise.resolve({}), ' is a promise, which is not a JSON value'],
  ])('must be values that the API server accepts: %o', (returned, problem) => {
    expect(() => statusOf(returned)).toThrow(new Error(`Probe: statusOf()${problem}`));
  });
});

describe.each(kinds.map((kind) => [kind.kind, kind] as const))('%s', (_, kind) => {
  it.each(kind.samples.map((sample) => [sample.name, sample] as const))(
    'accepts its sample %s',
    (name, { spec }) => {
      const children = kind.desired({ ...resource, name, spec });
      expect(children).not.toHaveProperty('invalid');
      expect(Array.isArray(children) && children.length > 0).toBe(true);
    },
  );

  it('has only children of types that it owns and that are listed for pruning', () => {
    for (const { name, spec } of kind.samples) {
      const children = kind.desired({ ...resource, name, spec });
      if ('invalid' in children) throw new Error(children.invalid);
      for (const { type } of children) expect(kind.owns).toContain(type);
    }
    for (const type of kind.owns) expect(childTypes).toContain(type);
  });

  it('gives every port of a container or a Service a protocol', () => {
    for (const { name, spec } of kind.samples) {
      const children = kind.desired({ ...resource, name, spec });
      for (const port of portsIn(children)) expect(port).toHaveProperty('protocol', 'TCP');
    }
  });
});

/** Lists the items of every list called `ports`, at any depth. */
function portsIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'ports' && Array.isArray(inner) ? inner : portsIn(inner),
  );
}
