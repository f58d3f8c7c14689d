import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../shared/canonical.ts';
import type { Identity } from '../../shared/identity.ts';
import { statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import type { Json, JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import {
  type Decision,
  type DecisionBody,
  isWriteDecision,
  versionOf,
  type WriteDecision,
} from '../../shared/plan/decision/decision.ts';
import { type Basis, expectedSteps, needsLive, stepsOf } from '../../shared/plan/decision/steps.ts';
import { refTo } from '../../shared/plan/observed/world.ts';
import * as live from '../support/children.ts';
import { create, decision, none, remove, update, wait } from '../support/decisions.ts';
import { identity, observeChild } from '../support/observe.ts';

const child = live.websiteDeployment();
const fields = { spec: { replicas: 2 } };
const engine = 'serverless-reconciler';

/** Gives each step as its verb and manager. */
const sent = (given: Decision, over: Partial<Basis> = {}, as: Identity = identity) =>
  isWriteDecision(given)
    ? expectedSteps(given, { observed: observeChild(child), live: undefined, ...over }, as).map(
        (step) =>
          'manager' in step
            ? `${step.verb} ${step.manager}`
            : 'what' in step
              ? `${step.verb} ${step.what}`
              : step.verb,
      )
    : [];

const cases = {
  Nothing: { reason: 'a child without drift takes no request', given: none, want: [] },
  Waiting: { reason: 'a waiting child takes no request', given: wait('shop'), want: [] },
  Create: {
    reason: 'one apply, locked to absence',
    given: create(fields, false),
    want: [`apply ${engine}`],
  },
  Generated: {
    reason: 'generated data comes first, under its own manager',
    given: { ...create(fields, false), generates: ['password'] },
    want: [`apply ${engine}-generated`, `apply ${engine}`],
  },
  Update: {
    reason: 'an update is one apply',
    given: update(child, fields, {}),
    want: [`apply ${engine}`],
  },
  HandOver: {
    reason: 'a dropped field is taken over by a second manager first',
    given: update(child, {}, { handOver: fields }),
    want: [`apply ${engine}-handover`, `apply ${engine}`],
  },
  Tangled: {
    reason: 'fields of others are taken out first',
    given: update(child, fields, { untangles: [{ op: 'remove', path: '/spec/x' }] }),
    want: [`patch ${engine}`, `apply ${engine}`],
  },
  Renamed: {
    reason: 'entries of a former name are renamed before the apply',
    given: update(child, fields, { renames: true }),
    want: ['get', `patch ${engine}`, `apply ${engine}`],
  },
  Consolidate: {
    reason: 'the object is read as a whole, then patched',
    given: {
      verb: 'consolidate',
      lock: versionOf(child.metadata),
    },
    want: ['get', `patch ${engine}`],
  },
  Delete: {
    reason: 'a deletion is one request',
    given: remove(child),
    want: ['check resource', 'delete'],
  },
} as const;

describe('the steps of a decision', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    expect(sent(decision('Deployment', 'shop', given)), reason).toEqual(want);
  });

  it('before-first-apply is consolidated after the update of an object without managers', () => {
    const bare = { ...child, metadata: { ...child.metadata, managedFields: [] } };
    const given = decision('Deployment', 'shop', update(bare, fields, {}));
    expect(sent(given, { observed: observeChild(bare), live: bare })).toEqual([
      `apply ${engine}`,
      `patch ${engine}`,
    ]);
  });

  it.each([
    ['with managers is not consolidated', child.metadata.managedFields, 1],
    ['without a list of managers is consolidated', undefined, 2],
  ])('an object that was read as a whole %s', (_, managedFields, want) => {
    const whole = { ...child, metadata: { ...child.metadata, managedFields } } as KubeObject;
    const observed = { ...observeChild(child), others: [] };
    const given = decision('Deployment', 'shop', update(whole, fields, {}));
    expect(sent(given, { observed, live: whole })).toHaveLength(want);
  });

  it('an unobserved object takes one apply', () => {
    const given = decision('Deployment', 'shop', update(child, fields, {}));
    expect(sent(given, { observed: undefined })).toEqual([`apply ${engine}`]);
  });
});

const namesOf = (given: WriteDecision) =>
  stepsOf(given, identity).map((step) =>
    'what' in step ? `${step.verb} ${step.what}` : step.verb,
  );

const lock = versionOf(child.metadata);

/** Makes a decision about an Ingress, which is written in an order with others. */
const exposing = (body: DecisionBody<WriteDecision>): WriteDecision =>
  ({ type: ingress, child: refTo(ingress, 'i'), namespace: 'default', ...body }) as WriteDecision;

const withdrawal = exposing({
  verb: 'withdraw',
  lock,
  difference: { path: 'spec.rules', from: [], to: [{ host: 'x' }], writer: undefined },
});

describe('all that a decision may send', () => {
  it.each<[string, WriteDecision, readonly string[]]>([
    [
      'a write reads the resource first if it was read long ago',
      decision('Deployment', 'a', create(fields, false)) as WriteDecision,
      ['check resource', 'apply'],
    ],
    [
      'generated data: the objects that may rely on older data are read first',
      {
        ...(decision('Deployment', 'a', create(fields, false)) as WriteDecision & {
          readonly verb: 'create';
        }),
        generates: ['password'],
        usedBy: [{ ...refTo(statefulSet, 's'), type: statefulSet }],
      },
      ['check absence', 'check resource', 'apply', 'apply'],
    ],
    [
      'an Ingress: the resource and its other Ingresses are read first',
      exposing({ verb: 'create', fields, lost: false }),
      ['check resource', 'check exposed', 'apply'],
    ],
    [
      'a withdrawal: the resource and its other Ingresses are read first',
      withdrawal,
      ['check resource', 'check exposed', 'patch'],
    ],
    [
      'an update may end with a consolidation',
      decision('Deployment', 'a', update(child, fields, {})) as WriteDecision,
      ['check resource', 'apply', 'patch'],
    ],
    [
      'fields of others are taken out first, then data is generated, then fields are handed over',
      decision(
        'Deployment',
        'a',
        update(child, fields, {
          untangles: [{ op: 'remove', path: '/spec/x' }],
          generates: ['password'],
          handOver: {},
        }),
      ) as WriteDecision,
      ['check resource', 'patch', 'apply', 'apply', 'apply', 'patch'],
    ],
  ])('%s', (_, given, want) => {
    expect(namesOf(given)).toEqual(want);
  });

  it('only a deletion and an exposure read the resource even if it was just read', () => {
    const ifOld = (given: WriteDecision) =>
      stepsOf(given, identity).flatMap((step) => ('ifOld' in step ? step.ifOld : []));
    expect(ifOld(decision('Deployment', 'a', remove(child)) as WriteDecision)).toEqual([false]);
    expect(ifOld(withdrawal)).toEqual([false]);
    expect(ifOld(decision('Deployment', 'a', update(child, fields, {})) as WriteDecision)).toEqual([
      true,
    ]);
  });

  it('a withdrawal replaces the field that holds the paths', () => {
    const patches = stepsOf(withdrawal, identity).flatMap((step) =>
      step.verb === 'patch' ? step.operations(undefined) : [],
    );
    expect(patches).toEqual([{ op: 'replace', path: '/spec/rules', value: [{ host: 'x' }] }]);
  });

  it('D-3 generated data is applied with nothing but labels and owner', () => {
    const metadata = { labels: { a: 'b' } };
    const given = {
      ...create({ metadata, data: { user: 'dQ==' } }, false),
      generates: ['password'],
    };
    expect(
      stepsOf(decision('Deployment', 'a', given) as WriteDecision, identity).filter(
        ({ verb }) => verb === 'apply',
      ),
    ).toEqual([
      {
        verb: 'apply',
        manager: `${engine}-generated`,
        fields: { metadata },
        generates: ['password'],
      },
      { verb: 'apply', manager: engine, fields: { metadata, data: { user: 'dQ==' } } },
    ]);
  });

  it('a consolidation replaces managedFields as a whole', () => {
    const given = { verb: 'consolidate', lock } as const;
    const patches = stepsOf(decision('Deployment', 'a', given) as WriteDecision, identity).flatMap(
      (step) => (step.verb === 'patch' ? step.operations(child) : []),
    );
    expect(patches).toEqual([
      { op: 'replace', path: '/metadata/managedFields', value: child.metadata.managedFields },
    ]);
  });
});

const entry = (manager: string, value: Json, listKeys: object = {}) => ({
  manager,
  time: undefined,
  values: canonicalJson(value),
  shape: JSON.stringify({ listKeys, leafMaps: [], unset: [] }),
});

const containers = (...items: readonly Json[]) => ({ spec: { containers: items } });
const byName = { 'spec.containers': ['name'] };

describe('managedFields under a former name', () => {
  const former: Identity = { ...identity, formerNames: ['old'] };
  const entriesAfter = (managedFields: object | undefined) => {
    const given = decision('Deployment', 'a', update(child, fields, { renames: true }));
    const metadata = { ...child.metadata, managedFields };
    const [patch] = stepsOf(given as WriteDecision, former).filter(({ verb }) => verb === 'patch');
    if (patch?.verb !== 'patch') throw new Error('nothing is renamed');
    expect(patch.renames).toBe(true);
    return patch.operations({ ...child, metadata } as KubeObject);
  };
  const replace = { op: 'replace', path: '/metadata/managedFields' };

  it('are moved to the present name, and all others stay', () => {
    const held = { operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {} } } };
    const other = { ...held, manager: 'kubectl', operation: 'Update' };
    expect(entriesAfter([{ ...held, manager: 'old' }, other])).toEqual([
      { ...replace, value: [{ ...held, manager: engine }, other] },
    ]);
  });

  it('are none if there is no list', () => {
    expect(entriesAfter(undefined)).toEqual([{ ...replace, value: [] }]);
  });
});

describe('old entries are consolidated after an update', () => {
  it.each<[string, Json, ReturnType<typeof entry>, boolean]>([
    ['an entry that holds a value of ours', fields, entry('before-first-apply', fields), true],
    ['an Update entry of ours', fields, entry(engine, fields), true],
    ['not an entry of another manager', fields, entry('kubectl', fields), false],
    [
      'not an entry with another value, which the apply takes',
      fields,
      entry(engine, { spec: { replicas: 3 } }),
      false,
    ],
    ['not an entry with other fields', fields, entry(engine, { spec: { paused: true } }), false],
    [
      'an item of a list, found by its key',
      containers({ name: 'a', image: 'x' }, { name: 'b', image: 'y' }),
      entry(engine, containers({ name: 'b', image: 'y' }), byName),
      true,
    ],
    [
      'not an item of which only the key is ours',
      containers({ name: 'a', image: 'x' }),
      entry(engine, containers({ name: 'a', tty: true }), byName),
      false,
    ],
    [
      'an item of which one of several values is ours',
      containers({ name: 'a', image: 'x', tty: true }),
      entry(engine, containers({ name: 'a', image: 'x' }), byName),
      true,
    ],
    [
      'not a value that begins alike in a list of values',
      containers('ab'),
      entry(engine, containers('ac'), { 'spec.containers': [] }),
      false,
    ],
    [
      'not an item of another key',
      containers({ name: 'a', image: 'x' }),
      entry(engine, containers({ name: 'b', image: 'x' }), byName),
      false,
    ],
    [
      'a list without keys, as one value',
      containers('a', 'b'),
      entry(engine, containers('a', 'b')),
      true,
    ],
    [
      'not a part of a list without keys',
      containers('a', 'b'),
      entry(engine, containers('a')),
      false,
    ],
    [
      'a value in a list of values',
      containers('a', 'b'),
      entry(engine, containers('b'), { 'spec.containers': [] }),
      true,
    ],
    [
      'one of several values in a list of values',
      containers('a', 'b'),
      entry(engine, containers('c', 'b'), { 'spec.containers': [] }),
      true,
    ],
    [
      'not another value in a list of values',
      containers('a', 'b'),
      entry(engine, containers('c'), { 'spec.containers': [] }),
      false,
    ],
    [
      'not a map for a scalar',
      containers({ name: 'a' }),
      entry(engine, containers('a'), byName),
      false,
    ],
    [
      'not a scalar for a map',
      containers('a'),
      entry(engine, containers({ name: 'a' }), byName),
      false,
    ],
    [
      'not an item with another value for one of two keys',
      containers({ port: 80, protocol: 'TCP', name: 'a' }),
      entry(engine, containers({ port: 80, protocol: 'UDP', name: 'a' }), {
        'spec.containers': ['port', 'protocol'],
      }),
      false,
    ],
    ['not a list for a scalar', fields, entry(engine, { spec: { replicas: [2] } }), false],
    [
      'not a scalar for a list',
      containers({ name: 'a', image: 'x' }),
      entry(engine, { spec: { containers: 'a' } }, byName),
      false,
    ],
    [
      'not a map for a scalar in the entry',
      fields,
      entry(engine, { spec: { replicas: {} } }),
      false,
    ],
    ['not an entry without the field', fields, entry(engine, {}), false],
  ])('%s', (_, wanted, other, want) => {
    const given = decision('Deployment', 'shop', update(child, wanted as never, {}));
    const observed = { ...observeChild(child), others: [other] };
    expect(sent(given, { observed }).includes(`patch ${engine}`)).toBe(want);
  });

  const service = live.websiteService();
  const withSpec = (of: KubeObject, over: object) =>
    ({ ...of, spec: { ...(of.spec as object), ...over } }) as KubeObject;
  const tcp = (name: string | undefined, port: number) => ({
    ...(name === undefined ? {} : { name }),
    port,
    protocol: 'TCP',
  });
  const rolling = { rollingUpdate: { maxSurge: 1 } };

  it.each<[string, boolean, KubeObject, JsonObject]>([
    [
      'puts items in',
      true,
      withSpec(service, { ports: [tcp('x', 81)] }),
      { op: 'replace', path: '/spec/ports', value: [tcp(undefined, 80)] },
    ],
    [
      'only takes items out',
      false,
      withSpec(service, { ports: [tcp('a', 80), tcp('a', 81)] }),
      { op: 'replace', path: '/spec/ports', value: [tcp('a', 80)] },
    ],
    [
      'sets a field',
      true,
      withSpec(child, { strategy: { type: 'RollingUpdate', ...rolling } }),
      { op: 'replace', path: '/spec/strategy/type', value: 'Recreate' },
    ],
    [
      'sets a field to the value it has',
      false,
      withSpec(child, { strategy: { type: 'Recreate', ...rolling } }),
      { op: 'replace', path: '/spec/strategy/type', value: 'Recreate' },
    ],
    [
      'only takes a field out',
      false,
      withSpec(child, { strategy: { type: 'Recreate', ...rolling } }),
      { op: 'remove', path: '/spec/strategy/rollingUpdate' },
    ],
  ])('old entries are consolidated after a patch that %s: %s', (_, want, whole, operation) => {
    const kind = whole.kind as 'Deployment' | 'Service';
    const body = update(whole, {}, { untangles: [operation] });
    const observed = { ...observeChild(whole), others: [] };
    expect(sent(decision(kind, 'shop', body), { observed, live: whole })).toEqual([
      `patch ${engine}`,
      `apply ${engine}`,
      ...(want ? [`patch ${engine}`] : []),
    ]);
  });
});

it('needs the live object only if managedFields are not enough', () => {
  const lost = {
    path: 'metadata.managedFields',
    from: undefined,
    to: undefined,
    writer: undefined,
  };
  const replicas = { ...lost, path: 'spec.replicas' };
  const needs = (over: Parameters<typeof update>[2]) =>
    needsLive(decision('Deployment', 'shop', update(child, fields, over)));
  expect([needs({}), needs({ untangles: [] }), needs({ differences: [lost] })]).toEqual([
    false,
    true,
    true,
  ]);
  expect(needs({ differences: [replicas] })).toBe(false);
  expect(needsLive(decision('Deployment', 'shop', none))).toBe(false);
});
