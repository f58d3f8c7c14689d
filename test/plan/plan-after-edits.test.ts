import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import type { Decision } from '../../shared/plan/decision/decision.ts';
import { consolidated, needsConsolidation } from '../../shared/plan/observed/legacy.ts';
import { plan } from '../../shared/plan/plan.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { fooDeployment, websiteDeployment, websiteService } from '../support/children.ts';
import { applied, type Draft, edited } from '../support/edits.ts';
import { identity, observeResource } from '../support/observe.ts';
import { planWithResults } from '../support/plan-with-results.ts';
import { foo, website } from '../support/resources.ts';
import { applyBody, changesOf, fieldsOfChild, worldOf } from '../support/worlds.ts';

const containersOf = (draft: Draft): Draft[] => draft.spec.template?.spec?.containers ?? [];
const portsOf = (draft: Draft): Draft[] => draft.spec.ports ?? [];
const labelNames = ['website', 'type', 'team', 'app.kubernetes.io/managed-by'];

/** Edits that others make to children, on purpose or by mistake. */
const changes: Record<string, (draft: Draft, value: string) => void> = {
  scale: ({ spec }, value) => {
    if (spec.template) spec.replicas = value.length;
  },
  changeLabel: ({ metadata }, value) => {
    metadata.labels = { ...metadata.labels, [labelNames[value.length % 4] as string]: value };
  },
  removeLabel: ({ metadata }, value) => {
    delete metadata.labels?.[labelNames[value.length % 4] as string];
  },
  removeLabels: ({ metadata }) => {
    delete metadata.labels;
  },
  annotate: ({ metadata }, value) => {
    metadata.annotations = { ...metadata.annotations, note: value };
  },
  changeImage: (draft, value) => {
    for (const container of containersOf(draft)) container.image = value;
  },
  setVariable: (draft, value) => {
    for (const container of containersOf(draft)) container.env = [{ name: 'A', value }];
  },
  addContainer: (draft, value) => {
    containersOf(draft).unshift({ name: `x${value}`, image: value });
  },
  replaceContainers: (draft, value) => {
    if (draft.spec.template) {
      draft.spec.template.spec.containers = [{ name: 'nginx', image: value }];
    }
  },
  removeContainerPorts: (draft) => {
    for (const container of containersOf(draft)) delete container.ports;
  },
  changePodLabel: ({ spec }, value) => {
    if (spec.template) spec.template.metadata.labels = { type: value };
  },
  changeNodePort: (draft, value) => {
    for (const port of portsOf(draft)) port.nodePort = 30000 + value.length;
  },
  renumberPort: (draft, value) => {
    for (const port of portsOf(draft)) port.port = 8000 + value.length;
  },
  addPort: (draft, value) => {
    const port = 9000 + value.length;
    if (portsOf(draft).every((other) => other.port !== port)) {
      draft.spec.ports?.push({ name: `p${value}`, port, protocol: 'TCP' });
    }
  },
  changeSelector: ({ spec }, value) => {
    if (spec.ports) spec.selector = { website: value };
  },
  removeSelector: ({ spec }) => {
    if (spec.ports) delete spec.selector;
  },
  clearManagers: ({ metadata }) => {
    metadata.managedFields = [{}];
  },
  disown: ({ metadata }) => {
    delete metadata.ownerReferences;
  },
  changeOwner: ({ metadata }, value) => {
    for (const owner of metadata.ownerReferences ?? []) owner.uid = `uid-${value}`;
  },
};

const edit = fc.record({
  name: fc.constantFrom(...Object.keys(changes)),
  value: fc.constantFrom('a', 'bb', 'ccc', 'website-sample', 'Website', 'nginx:latest'),
  by: fc.constantFrom('kubectl', 'kubectl-edit', 'argocd', 'serverless-reconciler'),
  apply: fc.boolean(),
  second: fc.integer({ min: 10, max: 59 }),
});

type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

function afterwards(live: KubeObject, edits: readonly Edit[]): KubeObject {
  return edits.reduce((object, { name, value, by, apply, second }) => {
    const at = `2026-11-21T11:00:${second}Z`;
    if (!apply) return edited(object, { by, at }, (draft) => changes[name]?.(draft, value));
    const { apiVersion, kind, metadata } = object;
    const labels = { type: value };
    const manifest = { apiVersion, kind, metadata: { name: metadata.name, labels } };
    return applied(object, { by: by === 'serverless-reconciler' ? 'flux' : by, at }, manifest);
  }, live);
}

interface Sample {
  readonly kind: Kind;
  readonly resource: KubeObject;
  readonly child: KubeObject;
}

const samples: Record<string, Sample> = {
  deployment: { kind: websiteKind, resource: website(), child: websiteDeployment() },
  service: { kind: websiteKind, resource: website(), child: websiteService() },
  replicas: { kind: fooKind, resource: foo(), child: fooDeployment() },
  noReplicas: {
    kind: fooKind,
    resource: foo({ spec: { replicas: undefined } }),
    child: fooDeployment(),
  },
};

const given = fc.tuple(
  fc.constantFrom(...Object.keys(samples)),
  fc.array(edit, { minLength: 1, maxLength: 6 }),
);

/** Checks a property of one child of a sample after edits. */
const anyEdits = (holds: (sample: Sample, live: KubeObject) => void) =>
  fc.property(given, ([name, edits]) => {
    const sample = samples[name];
    if (sample !== undefined) holds(sample, afterwards(sample.child, edits));
  });

const isOurs = ({ resource }: Sample, { metadata }: KubeObject): boolean =>
  metadata.ownerReferences?.some(
    ({ controller, uid }) => controller === true && uid === resource.metadata.uid,
  ) ?? false;

const decisionOf = ({ kind, resource }: Sample, live: KubeObject): Decision => {
  const world = { kind, resource: observeResource(resource), ...worldOf(live) };
  const { planned } = planWithResults(world, [live]);
  if (planned.state !== 'planned') throw new Error(planned.state);
  const decision = planned.decisions.find(({ child }) => child.kind === live.kind);
  if (decision === undefined) throw new Error('nothing decided');
  return decision;
};

const apply = (live: KubeObject, fields: JsonObject): KubeObject =>
  applied(live, { by: 'serverless-reconciler' }, applyBody(live, fields));

const tidied = (live: KubeObject): KubeObject =>
  needsConsolidation(live, identity)
    ? { ...live, metadata: { ...live.metadata, managedFields: consolidated(live, identity) } }
    : live;

const deepFreeze = (value: unknown): void => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
};

describe('after any edits by others', () => {
  it('C-6 a foreign object is not changed, and every other is restored', () => {
    const blocked = ['child', 'message', 'namespace', 'reason', 'type', 'verb'];
    fc.assert(
      anyEdits((sample, live) => {
        const decision = decisionOf(sample, live);
        if (isOurs(sample, live)) {
          expect(['none', 'update', 'consolidate']).toContain(decision.verb);
        } else {
          expect(decision).toMatchObject({ verb: 'block', reason: 'ErrResourceExists' });
          expect(Object.keys(decision).toSorted()).toEqual(blocked);
        }
      }),
    );
  });

  it('a plan is deterministic and does not alter its input', () => {
    fc.assert(
      anyEdits(({ kind, resource }, live) => {
        const about = { kind, resource: observeResource(resource) };
        const world = { ...about, ...worldOf(live) };
        deepFreeze(world.resource);
        deepFreeze([...world.children.values()]);
        expect(plan(world)).toEqual(plan({ ...about, ...worldOf(live) }));
      }),
    );
  });

  it('C-2 drift is found if, and only if, an apply would change the child', () => {
    fc.assert(
      anyEdits((sample, live) => {
        if (!isOurs(sample, live)) return;
        const fields = fieldsOfChild(sample.resource, live.kind);
        expect(changesOf(live, fields).length === 0).toBe(apply(live, fields) === live);
      }),
      { numRuns: 300 },
    );
  });

  it('C-3 one update restores all our fields', () => {
    fc.assert(
      anyEdits((sample, live) => {
        const decision = decisionOf(sample, live);
        if (decision.verb !== 'update') return;
        const next = tidied(apply(live, decision.fields));
        expect(decisionOf(sample, next).verb).toBe('none');
      }),
      { numRuns: 300 },
    );
  });
});
