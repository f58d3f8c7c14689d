import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { configMap, secret } from '../../shared/kinds/child-types/core.ts';
import type { Reference } from '../../shared/kinds/reads.ts';
import type { JsonObject, KubeObject, ResourceType } from '../../shared/kubernetes.ts';
import { type Found, keyOfReference } from '../../shared/plan/observed/world.ts';
import { readReferences, readReferencesOf } from '../../shared/reading/read-references.ts';
import { type MemoryBudget, openMemory, overBudget } from '../../shared/run/memory-budget.ts';
import type { Run } from '../../shared/run/run.ts';

const live = (namespace: string, name: string, content: JsonObject = {}): KubeObject =>
  ({ metadata: { namespace, name, uid: 'u', resourceVersion: '7' }, ...content }) as KubeObject;

const refusal = (code: number, reason: string): KubeError =>
  new KubeError('read', { code, status: { reason, message: 'no' } });

interface Given {
  readonly objects?: readonly KubeObject[];
  /** Errors for requests such as `get a/x` or `list a`, each of which occurs once. */
  readonly fails?: Readonly<Record<string, readonly unknown[]>>;
  readonly memory?: MemoryBudget;
}

/** Opens a cluster that holds objects of any type under the same names. */
function world({ objects = [], fails = {}, memory = openMemory()('local') }: Given = {}) {
  const asked: string[] = [];
  const left = new Map(Object.entries(fails).map(([what, errors]) => [what, [...errors]]));
  let active = 0;
  let mostActive = 0;
  const ask = async (what: string): Promise<void> => {
    asked.push(what);
    mostActive = Math.max(mostActive, ++active);
    await turn();
    active--;
    const error = left.get(what)?.shift();
    if (error !== undefined) throw error;
  };
  const cluster = {
    async get(_: ResourceType, { namespace, name }: Reference) {
      await ask(`get ${namespace}/${name}`);
      return objects.find(
        ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
      );
    },
    async list(
      _: ResourceType,
      { namespace }: { namespace?: string },
      each: (one: object) => void,
    ) {
      for (const one of objects)
        if (namespace === undefined || one.metadata.namespace === namespace) each(one);
      await ask(`list ${namespace ?? 'everywhere'}`);
    },
  };
  const run = { cluster, limits: { memory } } as unknown as Run;
  return {
    asked,
    mostActive: () => mostActive,
    ofArea: (references: readonly Reference[], namespaces?: readonly string[]) =>
      readReferences(run, { namespaces }, references),
    async ofOne(references: readonly Reference[]) {
      const reads = new Map<string, Found>();
      await readReferencesOf(run, reads, references);
      return reads;
    },
  };
}

const to = (name: string, namespace = 'a', type = configMap): Reference => ({
  type,
  namespace,
  name,
});
const many = (count: number, namespace = 'a') =>
  Array.from({ length: count }, (_, at) => to(`x-${at}`, namespace));
const of = (reads: ReadonlyMap<string, Found>, reference: Reference) =>
  reads.get(keyOfReference(reference));
/** Refers to other objects, too; only x-0 and x-1 exist. */
const some = [
  live('a', 'x-0', { data: { tag: 'v1' }, none: null }),
  live('a', 'x-1'),
  live('a', 'other'),
];

describe('the requests for references', () => {
  it('are one for each of up to eight objects of a type, however often an object is named', async () => {
    const { ofArea, asked } = world();
    await ofArea([...many(8), ...many(8), ...many(2).map((one) => ({ ...one, type: secret }))]);
    expect(asked).toHaveLength(10);
    expect(new Set(asked)).toEqual(new Set(many(8).map(({ name }) => `get a/${name}`)));
  });

  it.each([
    { reason: 'of the cluster', namespaces: undefined, want: ['list everywhere'] },
    { reason: 'of each namespace', namespaces: ['a', 'b'], want: ['get a/x-0', 'list b'] },
  ])('are one list $reason for more objects', async ({ namespaces, want }) => {
    const { ofArea, asked } = world();
    await ofArea([...many(1, 'a'), ...many(9, 'b')], namespaces);
    expect(asked).toEqual(want);
  });

  it('are at most four at once for one resource', async () => {
    const { ofOne, asked, mostActive } = world();
    await ofOne(many(9));
    expect(asked).toHaveLength(9);
    expect(mostActive()).toBe(4);
  });
});

const ways = {
  'by name': { padding: 0, request: 'get a/x-0' },
  'from a list': { padding: 9, request: 'list everywhere' },
};

describe.each(Object.entries(ways))('an object that is read %s', (_, { padding, request }) => {
  const references = [to('x-0'), to('x-1'), to('missing'), ...many(padding, 'b')];

  it('is found with its version, and resources that share it cannot change it', async () => {
    const found = of(await world({ objects: some }).ofArea(references), to('x-0'));
    expect(found).toMatchObject({ namespace: 'a', resourceVersion: '7' });
    const object = found !== undefined && 'object' in found ? found.object : undefined;
    expect(object?.data).toEqual({ tag: 'v1' });
    expect(Object.isFrozen(object) && Object.isFrozen(object?.data)).toBe(true);
  });

  it('has a result even if it does not exist', async () => {
    const reads = await world({ objects: some }).ofArea(references);
    expect(of(reads, to('missing'))).toEqual({});
    expect(reads.size).toBe(references.length);
  });

  it('cannot be read if the request fails, and the result has the failure', async () => {
    const fails = { [request]: [refusal(403, 'Forbidden')] };
    const reads = await world({ objects: some, fails }).ofArea(references);
    expect(of(reads, to('x-0'))).toEqual({
      failure: {
        reason: 'Forbidden',
        transient: false,
        message: 'ConfigMap x-0 cannot be read: cannot read: Forbidden: no',
      },
    });
    const isFailed = (reference: Reference) => 'failure' in of(reads, reference)!;
    expect(references.filter(isFailed)).toHaveLength(padding === 0 ? 1 : references.length);
  });

  it('cannot be read if it is nested too deeply, and others can', async () => {
    let deep: JsonObject = {};
    for (let at = 0; at < 70; at++) deep = { deep };
    const objects = [live('a', 'x-0', deep), live('a', 'x-1')];
    const reads = await world({ objects }).ofArea(references);
    expect(of(reads, to('x-0'))).toEqual({
      failure: {
        reason: 'UnreadableObject',
        transient: false,
        message: 'ConfigMap x-0 cannot be read: it is nested deeper than 64 levels',
      },
    });
    expect(of(reads, to('x-1'))).toHaveProperty('object');
  });

  it('cannot be read if it is malformed', async () => {
    const { metadata } = live('a', 'x-0');
    const hostile = {
      metadata,
      get data(): never {
        throw new TypeError('broken');
      },
    };
    const objects = [hostile as unknown as KubeObject, live('a', 'x-1')];
    const reads = await world({ objects }).ofArea(references);
    expect(of(reads, to('x-0'))).toMatchObject({
      failure: { message: 'ConfigMap x-0 cannot be read: TypeError: broken' },
    });
  });

  it('has no result yet if there is no memory', async () => {
    const memory = openMemory(1_000, 0)('local');
    const objects = [live('a', 'x-0', { data: { text: 'x'.repeat(1_000) } }), live('a', 'x-1')];
    const reads = await world({ objects, memory }).ofArea(references);
    expect(of(reads, to('x-0'))).toBeUndefined();
    expect(of(reads, to('x-1'))).toHaveProperty('object');
  });
});

describe('a list', () => {
  const references = many(9);

  it('that expires fails', async () => {
    const fails = { 'list everywhere': [refusal(410, 'Expired')] };
    const reads = await world({ objects: some, fails }).ofArea(references);
    expect(of(reads, to('x-1'))).toMatchObject({ failure: { reason: 'Expired' } });
  });

  it('of a type that is not served is empty', async () => {
    const fails = { 'list everywhere': [refusal(404, 'NotFound')] };
    const reads = await world({ fails }).ofArea(references);
    expect([...reads.values()]).toEqual(references.map(() => ({})));
  });

  it('distinguishes objects by namespace, and those without one', async () => {
    const objects = [live('a', 'x-0'), { ...live('', 'x-0'), metadata: { name: 'x-0' } }];
    const reads = await world({ objects: objects as readonly KubeObject[] }).ofArea([
      ...many(8, 'b'),
      to('x-0', 'a'),
      to('x-0', ''),
    ]);
    expect(of(reads, to('x-0', 'a'))).toMatchObject({ namespace: 'a' });
    expect(of(reads, to('x-0', ''))).toMatchObject({ namespace: '', object: { name: 'x-0' } });
    expect(of(reads, to('x-0', 'b'))).toEqual({});
  });
});

describe('large objects', () => {
  /** Builds objects of almost the maximum size; only the data of a Secret is kept as a digest. */
  const large = { other: 'x'.repeat(15_000_000) };
  const secrets = (count: number, place: string) =>
    many(count, place).map((one) => ({ ...one, type: secret }));
  const all = (count: number, places: readonly string[]) =>
    places.flatMap((place) => many(count, place).map(({ name }) => live(place, name, large)));

  it('of one namespace are read when their resource is reconciled, those of another at once', async () => {
    const objects = [...all(12, ['a']), ...all(1, ['b'])];
    const reads = await world({ objects }).ofArea([...secrets(12, 'a'), ...secrets(1, 'b')]);
    const kept = secrets(12, 'a').filter((one) => of(reads, one) !== undefined);
    expect(kept).toHaveLength(10);
    expect(of(reads, to('x-0', 'b', secret))).toHaveProperty('object');
  });

  it('are unreadable beyond what one resource may read in a namespace', async () => {
    const objects = all(3, ['a', 'b']);
    const reads = await world({ objects }).ofOne([...secrets(3, 'a'), ...secrets(3, 'b')]);
    for (const place of ['a', 'b']) {
      const failed = secrets(3, place).filter((one) => 'failure' in of(reads, one)!);
      expect(failed).toEqual([to('x-2', place, secret)]);
      expect(of(reads, to('x-2', place, secret))).toMatchObject({
        failure: {
          reason: 'UnreadableObject',
          transient: false,
          message: `Secret x-2 cannot be read: ${overBudget}`,
        },
      });
    }
  });
});
