import { describe, expect, it } from 'vitest';
import { child, defineKind, secret, secretValue, Type, template } from '../../index.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import type { Child } from '../../shared/kinds/child.ts';
import type { ReadDefinition } from '../../shared/kinds/reads.ts';
import { unreadSource } from '../../shared/kinds/references/grants.ts';
import { fillTemplates } from '../../shared/plan/decision/desired.ts';
import { observeResource } from '../../shared/plan/observed/observed-resource.ts';
import { secretDataOf } from '../../shared/plan/observed/read-object.ts';
import { type Found, foundBySelector, keyOfReference } from '../../shared/plan/observed/world.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const kindReading = (source: ReadDefinition<unknown>, scope: 'Namespaced' | 'Cluster') =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Copy',
    plural: 'copies',
    scope,
    spec: Type.Object({}),
    samples: [],
    owns: [secret],
    reads: { source },
    children: () => [],
  });

interface Given {
  readonly source?: ReadDefinition<unknown>;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly found?: Found;
}

/** Fills in the templates of a resource in `team`, or of a cluster-scoped one. */
function fill(children: readonly Child[], { source, scope = 'Namespaced', found }: Given = {}) {
  const kind = kindReading(source ?? { type: secret, name: () => 'db' }, scope);
  const namespace = scope === 'Cluster' ? '' : 'team';
  const metadata = { name: 'one', namespace, uid: 'u', resourceVersion: '1' };
  const live = { apiVersion: 'example.org/v1', kind: 'Copy', metadata, spec: {} };
  const resource = observeResource(kind, live as never, { identity: defaultIdentity });
  const references = kind.references(resource);
  if ('invalid' in references) throw new Error(references.invalid);
  const reads = new Map(references.map((one) => [keyOfReference(one), found ?? db('team')]));
  return fillTemplates({ kind, resource, reads } as never, children);
}

const values = secretDataOf({ data: { password: base64('x') } } as never);
const object = { name: 'db', digest: 'd' };
const db = (namespace: string): Found => ({ object, namespace, resourceVersion: '1', values });

const copy = (more: Partial<Child> = {}) =>
  child(secret, {
    name: 'copy',
    body: { data: { host: 'aG9zdA==' } },
    templates: { url: template`u:${secretValue({ name: 'db' }, 'password')}` },
    ...more,
  });

describe('the templates of a Secret', () => {
  it('are filled in beside its other data', () => {
    const [one] = fill([copy()]);
    expect(one?.body).toEqual({ data: { host: 'aG9zdA==', url: base64('u:x') } });
    expect(one?.blocked).toBeUndefined();
  });

  it('do not change the child that the kind returned', () => {
    const given = copy();
    fill([given]);
    expect(given.body).toEqual({ data: { host: 'aG9zdA==' } });
  });

  it.each<[string, readonly Child[], Found, object]>([
    [
      'if the referenced Secret does not exist',
      [copy()],
      {},
      { message: 'Secret copy waits: Secret db does not exist', transient: false },
    ],
    [
      'if the referenced Secret is desired by the resource itself',
      [copy(), child(secret, { name: 'db', body: {} })],
      {},
      { message: 'Secret copy waits: Secret db does not exist', transient: true },
    ],
    [
      'if the referenced key does not exist',
      [copy({ templates: { a: secretValue({ name: 'db' }, 'other') } })],
      db('team'),
      { message: 'Secret copy waits: Secret db has no other', transient: false },
    ],
    [
      'if the kind does not read the referenced Secret',
      [copy({ templates: { a: secretValue({ name: 'other' }, 'password') } })],
      db('team'),
      { message: `Secret copy waits: Secret other ${unreadSource}`, transient: false },
    ],
    [
      'for good if the kind does not read the Secret that the resource itself desires',
      [
        copy({ templates: { a: secretValue({ name: 'other' }, 'password') } }),
        child(secret, { name: 'other', body: {} }),
      ],
      db('team'),
      { message: `Secret copy waits: Secret other ${unreadSource}`, transient: false },
    ],
    [
      'if the kind has blocked the child for another reason',
      [copy({ blocked: { reason: 'Mine', message: 'mine' } })],
      {},
      { reason: 'Mine' },
    ],
  ])('block a child %s', (_, children, found, blocked) => {
    expect(fill(children, { found })[0]?.blocked).toMatchObject(blocked);
  });
});

describe('a value from another namespace', () => {
  const away = { name: 'db', namespace: 'away' };
  const templates = { a: secretValue(away, 'password') };

  it.each<[string, Given, boolean]>([
    [
      'is used if its owner has granted it',
      { source: { type: secret, name: () => away, from: 'granted' }, found: db('away') },
      true,
    ],
    [
      'is used if a selector of the kind has found it',
      {
        source: { type: secret, selector: () => ({}), from: 'granted' },
        found: foundBySelector({ namespace: '' }, [
          { name: 'db', namespace: 'away', resourceVersion: '1', object, values },
        ]),
      },
      true,
    ],
    ['is not used if the kind reads only its own namespace', { found: db('team') }, false],
    [
      'is used for a child of a cluster-scoped resource, if its owner has granted it',
      {
        scope: 'Cluster',
        source: { type: secret, name: () => away, from: 'granted' },
        found: db('away'),
      },
      true,
    ],
  ])('%s', (_, given, isUsed) => {
    const namespace = given.scope === 'Cluster' ? { namespace: 'team' } : {};
    const [one] = fill([copy({ templates, ...namespace })], given);
    expect(one?.blocked === undefined).toBe(isUsed);
  });

  it('waits for a grant, even if the child of a cluster-scoped resource is in that namespace', () => {
    const source = { type: secret, name: () => away, from: 'granted' as const };
    const given = { scope: 'Cluster' as const, source, found: {} };
    expect(fill([copy({ templates, namespace: 'away' })], given)[0]?.blocked?.message).toBe(
      'Secret away/copy waits: Secret away/db does not exist, or is not granted to copies.example.org by its annotation serverless-reconciler/readable-by',
    );
  });
});

it('a child waits for a Secret that no selector of the kind has found', () => {
  const source = { type: secret, selector: () => ({}) };
  const given = { source, found: {} };
  const templates = { a: secretValue({ name: 'db' }, 'password') };
  expect(fill([copy({ templates })], given)[0]?.blocked?.message).toBe(
    'Secret copy waits: Secret db does not exist, or is not selected by the kind',
  );
});

it('JSON of filled templates shows no value of a Secret', () => {
  expect(JSON.stringify(db('team'))).not.toContain(base64('x'));
  expect(values.textOf('password')).toBe(base64('x'));
  expect(values.textOf('constructor')).toBeUndefined();
});
