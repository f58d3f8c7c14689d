import { readBuiltInSchemas } from '@serverless-reconciler/local-cluster/schemas';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInProblem } from '../../shared/kinds/built-in-types.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { cronJob, job } from '../../shared/kinds/child-types/batch.ts';
import { configMap, persistentVolumeClaim, secret } from '../../shared/kinds/child-types/core.ts';
import {
  apiVersionOf,
  groupResource,
  type JsonObject,
  type KubeObject,
} from '../../shared/kubernetes.ts';
import { immutableChange } from '../../shared/plan/drift/immutable.ts';
import { isQuantity } from '../../shared/plan/drift/quantity.ts';
import { observeChild } from '../../shared/plan/observed/observed.ts';
import { anything } from '../properties/hostile-objects.ts';
import { effort } from '../properties/runs.ts';
import { builtInTypes } from '../support/child-types.ts';
import { identity } from '../support/observe.ts';

const rows = builtInTypes.map((type) => [groupResource(type), type] as const);

describe.each(rows)('%s', (_, type) => {
  it('reads any live object', () => {
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
        fc.constantFrom(
          'conditions',
          'phase',
          'replicas',
          'template',
          'updateStrategy',
          'clusterIP',
        ),
        fc.oneof(anything, conditions),
      ),
    );
    fc.assert(
      fc.property(part, part, part, (spec, status, data) => {
        const live = liveOf(type, { spec, status, data, immutable: true } as JsonObject);
        type.readiness?.(live);
        const paths = typeof type.immutable === 'function' ? type.immutable(live) : [];
        expect(paths.every((path) => typeof path === 'string')).toBe(true);
        // Facts and the exposure of Ingresses are read the same way, before anything else.
        expect(observeChild(type, live, { identity })).toMatchObject({ facts: expect.any(Object) });
      }),
      effort(100),
    );
  });
});

const liveOf = (type: ChildType, fields: JsonObject): KubeObject => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  metadata: {
    name: 'shop',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: '2026-11-22T10:00:00Z',
  },
  ...fields,
});

type Schema = JsonObject & { readonly $ref?: string };
const quantity = '#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity';
const { definitions } = readBuiltInSchemas() as unknown as {
  readonly definitions: Readonly<Record<string, Schema>>;
};

/** The paths of all quantities below a schema, with `[]` for an item and `x` for a key. */
function quantityPaths(schema: Schema, path: string, above: readonly string[]): readonly string[] {
  const [inner] = (schema.allOf ?? [schema]) as readonly Schema[];
  const { $ref } = inner ?? schema;
  if ($ref === quantity) return [path];
  if ($ref !== undefined && above.includes($ref)) return [];
  const whole = $ref === undefined ? schema : definitions[$ref.slice('#/definitions/'.length)];
  const {
    properties = {},
    items,
    additionalProperties,
  } = (whole ?? {}) as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly items?: Schema;
    readonly additionalProperties?: Schema | boolean;
  };
  const seen = $ref === undefined ? above : [...above, $ref];
  return [
    ...Object.entries(properties).flatMap(([name, field]) =>
      quantityPaths(field, path === '' ? name : `${path}.${name}`, seen),
    ),
    ...(items === undefined ? [] : quantityPaths(items, `${path}[]`, seen)),
    ...(typeof additionalProperties === 'object'
      ? quantityPaths(additionalProperties, `${path}.x`, seen)
      : []),
  ];
}

const schemaOf = ({ group, version, kind }: ChildType): Schema | undefined =>
  Object.values(definitions).find((schema) =>
    ((schema['x-kubernetes-group-version-kind'] ?? []) as readonly JsonObject[]).some(
      (one) => one.group === group && one.version === version && one.kind === kind,
    ),
  );

describe('quantities', () => {
  it.each(rows)('of %s are all known', (_, type) => {
    const schema = schemaOf(type);
    expect(schema).toBeDefined();
    const paths = quantityPaths(schema ?? {}, '', []).filter(
      (path) => !/^status|volumeClaimTemplates\[\][.]status/.test(path),
    );
    expect(paths.filter((path) => !isQuantity(type.quantities ?? [], path))).toEqual([]);
  });

  it('are found in a schema', () => {
    const pod = quantityPaths(definitions['io.k8s.api.core.v1.Pod'] ?? {}, '', []);
    expect(pod).toContain('spec.containers[].resources.limits.x');
  });
});

const claim = (spec: JsonObject, phase = 'Pending') =>
  liveOf(persistentVolumeClaim, { spec, status: { phase } });
const podOf = (image: string, more: JsonObject = {}): JsonObject => ({
  spec: {
    template: {
      metadata: {},
      spec: { containers: [{ name: 'a', image, ...more }], restartPolicy: 'Never' },
    },
  },
});

const liveJob = (over: JsonObject = {}) =>
  liveOf(job, {
    spec: {
      ...over,
      completions: 1,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
      template: {
        metadata: { labels: { 'batch.kubernetes.io/controller-uid': 'u' } },
        spec: {
          containers: [{ name: 'a', image: 'x:1', imagePullPolicy: 'IfNotPresent' }],
          restartPolicy: 'Never',
          dnsPolicy: 'ClusterFirst',
        },
      },
    },
  });

const immutables: Record<
  string,
  {
    reason: string;
    type: ChildType;
    live: KubeObject;
    wanted: JsonObject;
    path: string;
    want?: string;
  }
> = {
  JobImage: {
    reason: 'the template of a Job that runs is fixed',
    type: job,
    live: liveJob(),
    wanted: podOf('x:2'),
    path: 'spec.template.spec.containers[name="a"].image',
    want: 'spec.template.spec.containers[name="a"].image',
  },
  JobSame: {
    reason: 'what the server added to the template is no change',
    type: job,
    live: liveJob(),
    wanted: podOf('x:1'),
    path: 'spec.template.spec.containers[name="a"].image',
  },
  JobSuspended: {
    reason: 'a suspended one may get other resources',
    type: job,
    live: liveJob({ suspend: true }),
    wanted: podOf('x:1', { resources: {} }),
    path: 'spec.template.spec.containers[name="a"].resources',
  },
  JobOther: {
    reason: 'other fields may change',
    type: job,
    live: liveJob(),
    wanted: { spec: { backoffLimit: 2 } },
    path: 'spec.backoffLimit',
  },
  CronJobImage: {
    reason: 'the template of a CronJob is for later Jobs',
    type: cronJob,
    live: liveOf(cronJob, {}),
    wanted: { spec: { schedule: '* * * * *' } },
    path: 'spec.schedule',
  },
  ClaimClass: {
    reason: 'the class is set once',
    type: persistentVolumeClaim,
    live: claim({ storageClassName: 'a' }),
    wanted: { spec: { storageClassName: 'b' } },
    path: 'spec.storageClassName',
    want: 'spec.storageClassName',
  },
  ClaimClassLater: {
    reason: 'but may be set later',
    type: persistentVolumeClaim,
    live: claim({}),
    wanted: { spec: { storageClassName: 'b' } },
    path: 'spec.storageClassName',
  },
  ClaimSize: {
    reason: 'a claim without a volume cannot grow',
    type: persistentVolumeClaim,
    live: claim({ resources: { requests: { storage: '1Gi' } } }),
    wanted: { spec: { resources: { requests: { storage: '2Gi' } } } },
    path: 'spec.resources.requests.storage',
    want: 'spec.resources.requests.storage',
  },
  ClaimSizeBound: {
    reason: 'a bound one can',
    type: persistentVolumeClaim,
    live: claim({ resources: { requests: { storage: '1Gi' } } }, 'Bound'),
    wanted: { spec: { resources: { requests: { storage: '2Gi' } } } },
    path: 'spec.resources.requests.storage',
  },
  SecretSealed: {
    reason: 'once true it stays',
    type: secret,
    live: liveOf(secret, { immutable: true }),
    wanted: { immutable: false },
    path: 'immutable',
    want: 'immutable',
  },
  SecretToSeal: {
    reason: 'it may become true',
    type: secret,
    live: liveOf(secret, { immutable: false }),
    wanted: { immutable: true },
    path: 'immutable',
  },
  ConfigMapSealed: {
    reason: 'and then the data stays, too',
    type: configMap,
    live: liveOf(configMap, { immutable: true, data: { a: '1' } }),
    wanted: { data: { a: '2' } },
    path: 'data.a',
    want: 'data.a',
  },
  ConfigMapOpen: {
    reason: 'otherwise it may change',
    type: configMap,
    live: liveOf(configMap, { data: { a: '1' } }),
    wanted: { data: { a: '2' } },
    path: 'data.a',
  },
};

describe('an immutable field', () => {
  it.each(Object.entries(immutables))('%s', (_, { reason, type, live, wanted, path, want }) => {
    const difference = { path, from: 'from', to: 'to', writer: undefined };
    expect(
      immutableChange([difference], wanted, observeChild(type, live, { identity })),
      reason,
    ).toBe(want);
  });

  it('keeps no value of a sealed Secret', () => {
    const live = liveOf(secret, { immutable: true, data: { password: 'c2VjcmV0' } });
    expect(JSON.stringify(observeChild(secret, live, { identity }))).not.toContain('c2VjcmV0');
  });
});

it('each that has more than a name is refused where it is written by hand', () => {
  for (const { group, version, kind, plural, impact: _, ...special } of builtInTypes) {
    const problem = builtInProblem({ group, version, kind, plural });
    if (Object.keys(special).length === 0) expect(problem, kind).toBeUndefined();
    else expect(problem, kind).toContain(` lacks ${Object.keys(special).join(', ')}; import `);
  }
});
