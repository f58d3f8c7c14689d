import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/kubernetes.ts';
import { isOwnershipOnly } from '../../shared/plan/drift/differences.ts';
import { casesOf } from '../support/cases.ts';
import { websiteDeployment } from '../support/children.ts';
import { at, by, change, type DifferenceCase, difference } from '../support/differences.ts';
import { applied, type Draft, edited, scaled } from '../support/edits.ts';
import { website } from '../support/resources.ts';
import { changesOf, fieldsOfChild } from '../support/worlds.ts';

const nginx = (draft: Draft) => draft.spec.template.spec.containers[0];
const container = 'spec.template.spec.containers[name="nginx"]';

const websiteWants = fieldsOfChild(website(), 'Deployment');

const deployments: Record<string, DifferenceCase> = {
  'C-2 Untouched': {
    reason: 'an untouched Deployment has no drift',
    live: websiteDeployment(),
    want: [],
  },
  'C-3 Scaled': {
    reason: 'a write through the scale subresource has no time',
    live: scaled(websiteDeployment(), 5),
    want: [difference('spec.replicas', 5, 2, { manager: 'kubectl', time: undefined })],
  },
  'C-3 Image': {
    reason: 'the writer owns the changed field, and we the rest of the container',
    live: change(websiteDeployment(), 'kubectl-set', (draft) => {
      nginx(draft).image = 'nginx:1';
    }),
    want: [
      difference(
        `${container}.image`,
        'nginx:1',
        'abangser/todo-local-storage:latest',
        by('kubectl-set'),
      ),
    ],
  },
  'C-3 TakenOver': {
    reason: 'a field that was changed and changed back has the right value, but is no longer ours',
    live: change(
      change(websiteDeployment(), 'kubectl-set', (draft) => {
        nginx(draft).image = 'nginx:1';
      }),
      'kubectl-set',
      (draft) => {
        nginx(draft).image = 'abangser/todo-local-storage:latest';
      },
    ),
    want: [
      difference(
        `${container}.image`,
        'abangser/todo-local-storage:latest',
        'abangser/todo-local-storage:latest',
        by('kubectl-set'),
      ),
    ],
  },
  'C-3 LabelRemoved': {
    reason: 'a removed field has no owner to name',
    live: change(websiteDeployment(), 'kubectl-label', ({ metadata }) => {
      delete metadata.labels.type;
    }),
    want: [difference('metadata.labels.type', undefined, 'Website')],
  },
  'C-3 RemovedToDefault': {
    reason: 'a default of the server belongs to the manager that removed the field',
    live: change(websiteDeployment(), 'kubectl-patch', ({ spec }) => {
      spec.replicas = 1;
    }),
    want: [difference('spec.replicas', 1, 2, by('kubectl-patch'))],
  },
  'C-3 AllLabels': {
    reason: 'each changed label is a difference',
    live: change(websiteDeployment(), 'kubectl-replace', ({ metadata }) => {
      metadata.labels = { other: 'x' };
    }),
    want: [
      'app.kubernetes.io/instance',
      'app.kubernetes.io/managed-by',
      'app.kubernetes.io/part-of',
      'type',
      'website',
    ].map((name) =>
      difference(
        `metadata.labels.${name}`,
        undefined,
        (websiteWants.metadata as Draft).labels[name],
      ),
    ),
  },
  'C-3 ContainerReplaced': {
    reason: 'a removed container is one difference',
    live: change(websiteDeployment(), 'kubectl-patch', ({ spec }) => {
      spec.template.spec.containers = [{ name: 'web', image: 'busybox' }];
    }),
    want: [
      difference(container, undefined, {
        name: 'nginx',
        image: 'abangser/todo-local-storage:latest',
        imagePullPolicy: 'Always',
        ports: [{ containerPort: 80, protocol: 'TCP' }],
      }),
    ],
  },
  'C-3 PortOfContainer': {
    reason: 'a list within an item of a list is compared',
    live: change(websiteDeployment(), 'kubectl-edit', (draft) => {
      nginx(draft).ports = [{ containerPort: 8080, protocol: 'TCP' }];
    }),
    want: [
      difference(`${container}.ports[containerPort=80,protocol="TCP"]`, undefined, {
        containerPort: 80,
        protocol: 'TCP',
      }),
    ],
  },
  'C-3 TwoWriters': {
    reason: 'the later of two owners wrote the field',
    live: edited(
      edited(websiteDeployment(), { by: 'early', at: '2026-11-21T10:50:00Z' }, ({ spec }) => {
        spec.replicas = 3;
      }),
      { by: 'late', at: '2026-11-21T10:55:00Z' },
      ({ spec }) => {
        spec.replicas = 4;
      },
    ),
    want: [difference('spec.replicas', 4, 2, by('late', '2026-11-21T10:55:00Z'))],
  },
  'C-3 AlsoApplied': {
    reason: 'a forced apply of another manager takes a field over',
    live: applied(
      websiteDeployment(),
      { by: 'argocd', at },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'website-sample' },
        spec: { replicas: 7 },
      },
    ),
    want: [difference('spec.replicas', 7, 2, by('argocd'))],
  },
  'C-3 Shared': {
    reason: 'a value that another manager applies, too, is still ours',
    live: applied(
      websiteDeployment(),
      { by: 'argocd', at },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'website-sample' },
        spec: { replicas: 2 },
      },
    ),
    want: [],
  },
  'C-3 ManagersCleared': {
    reason: 'without managedFields it is unknown which fields are ours',
    live: change(websiteDeployment(), 'kubectl-patch', ({ metadata }) => {
      metadata.managedFields = [{}];
    }),
    want: [difference('metadata.managedFields', undefined, undefined)],
  },
  'F-7 Beside': {
    reason: 'labels, annotations, containers and variables that others add are no drift',
    live: change(websiteDeployment(), 'kubectl-patch', (draft) => {
      draft.metadata.labels.team = 'a';
      draft.metadata.annotations.note = 'b';
      nginx(draft).env = [{ name: 'A', value: 'b' }];
      draft.spec.template.spec.containers.unshift({ name: 'sidecar', image: 'busybox' });
    }),
    want: [],
  },
  'A-2 DefaultChanged': {
    reason: 'a default of the server is no drift',
    live: change(websiteDeployment(), 'kubectl-patch', ({ spec }) => {
      spec.strategy = { type: 'Recreate' };
    }),
    want: [],
  },
};

describe('drift of a Deployment', () => {
  it.each(casesOf(deployments))('%s', (_, { live, want }) => {
    expect(changesOf(live, websiteWants)).toEqual(want);
  });
});

const ownership: Record<
  string,
  { reason: string; given: [Json | undefined, Json | undefined]; want: boolean }
> = {
  Same: {
    reason: 'is true for a field that was only taken over',
    given: [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    want: true,
  },
  Other: { reason: 'is false for a changed field', given: ['1', 1], want: false },
  Gone: { reason: 'is false for a removed field', given: [undefined, ''], want: false },
};

describe('isOwnershipOnly', () => {
  it.each(casesOf(ownership))('%s', (_, { given: [from, to], want }) => {
    expect(isOwnershipOnly(difference('a', from, to))).toBe(want);
  });
});
