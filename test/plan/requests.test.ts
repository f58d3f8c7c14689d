import { describe, expect, it } from 'vitest';
import { statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import {
  type Decision,
  type DecisionBody,
  isWriteDecision,
  versionOf,
  type WriteDecision,
} from '../../shared/plan/decision/decision.ts';
import { expectedRequests, requestsOf } from '../../shared/plan/decision/requests.ts';
import type { ObservedChild } from '../../shared/plan/observed/observed.ts';
import { shortText } from '../../shared/plan/observed/short-text.ts';
import { refTo } from '../../shared/plan/observed/world.ts';
import { casesOf } from '../support/cases.ts';
import * as live from '../support/children.ts';
import { create, decision, none, remove, update, wait } from '../support/decisions.ts';
import { identity, observeChild } from '../support/observe.ts';

const child = live.websiteDeployment();
const entry = (manager: string) => ({ manager, time: undefined, values: '{}', shape: '{}' });
const fields = { spec: { replicas: 2 } };
const engine = 'serverless-reconciler';

const managed = { ...observeChild(child), others: [entry('kubectl')] };
/** Formats each request as its verb and manager; empty if the decision writes nothing. */
const sent = (given: Decision, after: ObservedChild = managed) =>
  isWriteDecision(given)
    ? expectedRequests(given, after, identity).map((request) =>
        'manager' in request
          ? `${request.verb} ${request.manager}`
          : 'what' in request
            ? `${request.verb} ${request.what}`
            : request.verb,
      )
    : [];

const cases = {
  Nothing: { reason: 'a child without drift needs no request', given: none, want: [] },
  Waiting: { reason: 'a waiting child needs no request', given: wait('shop'), want: [] },
  Create: {
    reason: 'a creation is one apply, locked to absence',
    given: create(fields, false),
    want: [`apply ${engine}`],
  },
  Generated: {
    reason: 'generated data is applied first, by its own manager',
    given: { ...create(fields, false), generates: ['password'] },
    want: [`apply ${engine}-generated`, `apply ${engine}`],
  },
  Update: {
    reason: 'an update is one apply',
    given: update(child, fields, {}),
    want: [`apply ${engine}`],
  },
  Kept: {
    reason: 'a live value that is kept is part of the apply',
    given: update(child, {}, { kept: { fields, whole: fields, long: [] } }),
    want: [`apply ${engine}`],
  },
  KeptLong: {
    reason: 'a long live value is read before the apply',
    given: update(
      child,
      {},
      { kept: { fields: { data: shortText('x'.repeat(2000)) }, whole: {}, long: [['data']] } },
    ),
    want: ['get', `apply ${engine}`],
  },
  Tangled: {
    reason: 'conflicting fields of others are removed first',
    given: update(child, fields, { untangles: [{ op: 'remove', path: '/spec/x' }] }),
    want: [`patch ${engine}`, `apply ${engine}`],
  },
  Consolidate: {
    reason: 'a consolidation reads the object, then patches it',
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

describe('the requests of a decision', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(sent(decision('Deployment', 'shop', given))).toEqual(want);
  });

  it.each([
    ['of an object without managers', { legacy: true }, true],
    ['that leaves no old managedFields entry', { legacy: false }, false],
  ])('decide whether old entries are consolidated after an update %s', (_, after, want) => {
    const given = decision('Deployment', 'shop', update(child, fields, {}));
    const last = sent(given, { ...observeChild(child), ...after }).at(-1);
    expect(last).toBe(want ? `patch ${engine}` : `apply ${engine}`);
  });

  it('count one apply for an update without a response', () => {
    const given = decision('Deployment', 'shop', update(child, fields, {}));
    expect(expectedRequests(given as WriteDecision, undefined, identity).at(-1)).toMatchObject({
      verb: 'apply',
    });
  });
});

const namesOf = (given: WriteDecision) =>
  requestsOf(given, identity).map((request) =>
    'what' in request ? `${request.verb} ${request.what}` : request.verb,
  );

const lock = versionOf(child.metadata);

/** Builds a decision about an Ingress, which is written in order with others. */
const exposing = (body: DecisionBody<WriteDecision>): WriteDecision =>
  ({ type: ingress, child: refTo(ingress, 'i'), namespace: 'default', ...body }) as WriteDecision;

const withdrawal = exposing({
  verb: 'withdraw',
  lock,
  difference: { path: 'spec.rules', from: [], to: [{ host: 'x' }], writer: undefined },
});

describe('all requests that a decision may send', () => {
  it.each<[string, WriteDecision, readonly string[]]>([
    [
      'a write reads the resource first if it was read long ago',
      decision('Deployment', 'a', create(fields, false)) as WriteDecision,
      ['check resource', 'apply'],
    ],
    [
      'before data is generated, the objects that may rely on older data are read',
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
      'before an Ingress is written, the resource and its other Ingresses are read',
      exposing({ verb: 'create', fields, existed: false }),
      ['check resource', 'check exposed', 'apply'],
    ],
    [
      'before paths are withdrawn, the resource and its other Ingresses are read',
      withdrawal,
      ['check resource', 'check exposed', 'patch'],
    ],
    [
      'an update may end with a consolidation',
      decision('Deployment', 'a', update(child, fields, {})) as WriteDecision,
      ['check resource', 'apply', 'patch'],
    ],
    [
      'fields of others are removed first, then data is generated',
      decision(
        'Deployment',
        'a',
        update(child, fields, {
          untangles: [{ op: 'remove', path: '/spec/x' }],
          generates: ['password'],
        }),
      ) as WriteDecision,
      ['check resource', 'patch', 'apply', 'apply', 'patch'],
    ],
  ])('%s', (_, given, want) => {
    expect(namesOf(given)).toEqual(want);
  });

  it('include a read of the resource just before a deletion or an exposure', () => {
    const ifOld = (given: WriteDecision) =>
      requestsOf(given, identity).flatMap((request) => ('ifOld' in request ? request.ifOld : []));
    expect(ifOld(decision('Deployment', 'a', remove(child)) as WriteDecision)).toEqual([false]);
    expect(ifOld(withdrawal)).toEqual([false]);
    expect(ifOld(decision('Deployment', 'a', update(child, fields, {})) as WriteDecision)).toEqual([
      true,
    ]);
  });

  it('a withdrawal replaces the field with the paths', () => {
    const patches = requestsOf(withdrawal, identity).flatMap((request) =>
      request.verb === 'patch' ? request.operations(undefined) : [],
    );
    expect(patches).toEqual([{ op: 'replace', path: '/spec/rules', value: [{ host: 'x' }] }]);
  });

  it('D-3 generated data is applied with no other fields than the labels of the engine and the owner reference', () => {
    const labels = { 'app.kubernetes.io/instance': 'one' };
    const metadata = { labels: { ...labels, a: 'b' }, annotations: { c: 'd' } };
    const given = {
      ...create({ metadata, data: { user: 'dQ==' } }, false),
      generates: ['password'],
    };
    expect(
      requestsOf(decision('Deployment', 'a', given) as WriteDecision, identity).filter(
        ({ verb }) => verb === 'apply',
      ),
    ).toEqual([
      {
        verb: 'apply',
        manager: `${engine}-generated`,
        fields: { metadata: { labels } },
        generates: ['password'],
      },
      { verb: 'apply', manager: engine, fields: { metadata, data: { user: 'dQ==' } } },
    ]);
  });

  it('a consolidation replaces managedFields as a whole', () => {
    const given = { verb: 'consolidate', lock } as const;
    const patches = requestsOf(
      decision('Deployment', 'a', given) as WriteDecision,
      identity,
    ).flatMap((request) => (request.verb === 'patch' ? request.operations(child) : []));
    expect(patches).toEqual([
      { op: 'replace', path: '/metadata/managedFields', value: child.metadata.managedFields },
    ]);
  });
});
