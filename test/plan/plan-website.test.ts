import { describe, expect, it } from 'vitest';
import { type DecisionBody, versionOf } from '../../shared/plan/decision/decision.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { casesOf } from '../support/cases.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';
import {
  type Case,
  create,
  decision,
  exists,
  none,
  owner,
  planned,
  planOf,
  update,
  wait,
} from '../support/decisions.ts';
import { applied, edited, scaled } from '../support/edits.ts';
import { createdAt, website } from '../support/resources.ts';
import { applyBody, fieldsOfChild } from '../support/worlds.ts';

const deploymentFields = fieldsOfChild(website(), 'Deployment');
const serviceFields = fieldsOfChild(website(), 'Service');
const name = 'website-sample';
const both = (first: DecisionBody, second: DecisionBody) =>
  planned([decision('Deployment', name, first), decision('Service', name, second)]);
const fresh = website({ status: undefined });
const rescaled = scaled(websiteDeployment(), 5);
const replicasBack = {
  path: 'spec.replicas',
  from: 5,
  to: 2,
  writer: { manager: 'kubectl', time: undefined },
};

const websites: Record<string, Case> = {
  'C-1 New': {
    reason: 'nothing is there yet',
    resource: fresh,
    want: both(create(deploymentFields, false), create(serviceFields, false)),
  },
  'C-2 InPlace': {
    reason: 'nothing changed',
    live: [websiteDeployment(), websiteService()],
    want: both(none, none),
  },
  'W-2 Label': {
    reason: 'only metadata of the Website changed',
    resource: website({ metadata: { labels: { team: 'a' }, resourceVersion: '999' } }),
    live: [websiteDeployment(), websiteService()],
    want: both(none, none),
  },
  'C-3 Scaled': {
    reason: 'the update is locked to the version read, and says why',
    live: [rescaled, websiteService()],
    want: both(update(rescaled, deploymentFields, { differences: [replicasBack] }), none),
  },
  'W-1 ImageTag': {
    reason: 'only the Deployment is written: its image, and the pull policy that follows from it',
    resource: website({ metadata: { generation: 2 }, spec: { imageTag: '2' } }),
    live: [websiteDeployment(), websiteService()],
    want: both(
      update(
        websiteDeployment(),
        fieldsOfChild(website({ spec: { imageTag: '2' } }), 'Deployment'),
        {
          differences: [
            {
              path: 'spec.template.spec.containers[name="nginx"].image',
              from: 'abangser/todo-local-storage:latest',
              to: 'abangser/todo-local-storage:2',
              writer: undefined,
            },
            {
              path: 'spec.template.spec.containers[name="nginx"].imagePullPolicy',
              from: 'Always',
              to: 'IfNotPresent',
              writer: undefined,
            },
          ],
        },
      ),
      none,
    ),
  },
  'C-3 Partner': {
    reason: 'a conflicting port is taken out once the server has refused the apply',
    live: [
      websiteDeployment(),
      edited(websiteService(), { by: 'kubectl' }, ({ spec }) => {
        spec.ports[0].port = 8080;
      }),
    ],
    want: both(
      none,
      update(websiteService({ metadata: { resourceVersion: '252' } }), serviceFields, {
        differences: [
          {
            path: 'spec.ports[port=80,protocol="TCP"]',
            from: undefined,
            to: { port: 80, protocol: 'TCP', targetPort: 80, nodePort: 31000 },
            writer: undefined,
          },
        ],
      }),
    ),
  },
  'C-4 Deleted': {
    reason: 'a child that the status lists was there',
    live: [websiteDeployment()],
    want: both(none, create(serviceFields, true)),
  },
  'W-6 BothDeleted': {
    reason: 'each is recreated on its own',
    want: both(create(deploymentFields, true), create(serviceFields, true)),
  },
  'C-6 NoController': {
    reason: 'an object of that name has no controller; the other child proceeds',
    resource: fresh,
    live: [websiteService({ metadata: { ownerReferences: undefined } })],
    want: both(create(deploymentFields, false), exists(name, 'Website', 'Service')),
  },
  'C-6 OtherUid': {
    reason: 'it belonged to a former Website of the same name',
    live: [
      websiteDeployment(),
      websiteService({ metadata: { ownerReferences: [{ ...owner(website()), uid: 'old' }] } }),
    ],
    want: both(none, exists(name, 'Website', 'Service')),
  },
  'C-6 OwnerNotController': {
    reason: 'an owner is not a controller',
    live: [
      websiteDeployment(),
      websiteService({
        metadata: { ownerReferences: [{ ...owner(website()), controller: false }] },
      }),
    ],
    want: both(none, exists(name, 'Website', 'Service')),
  },
  'C-6 ForeignAndDeleting': {
    reason: 'a foreign object being deleted is still foreign',
    live: [
      websiteDeployment(),
      websiteService({ metadata: { ownerReferences: undefined, deletionTimestamp: createdAt } }),
    ],
    want: both(none, exists(name, 'Website', 'Service')),
  },
  'C-7 Deleting': {
    reason: 'a resource being deleted is left alone',
    resource: website({ metadata: { deletionTimestamp: createdAt } }),
    want: { state: 'deleting' },
  },
  'C-7 DeletingAndSuspended': {
    reason: 'a resource being deleted is not reported as suspended',
    resource: website({
      metadata: {
        deletionTimestamp: createdAt,
        annotations: { 'serverless-reconciler/suspend': 'true' },
      },
    }),
    want: { state: 'deleting' },
  },
  'C-14 Suspended': {
    reason: 'the annotation suspends it, whatever the spec',
    resource: website({
      metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } },
      spec: { imageTag: '' },
    }),
    want: { state: 'suspended' },
  },
  'C-9 Invalid': {
    reason: 'no child is written, none is deleted',
    resource: website({ spec: { imageTag: '' } }),
    live: [websiteDeployment(), websiteService()],
    want: { state: 'invalid', message: expect.stringMatching(/^spec\.imageTag /) },
  },
  'C-13 ChildDeleting': {
    reason: 'a child that is being deleted is not written until it is gone',
    live: [
      websiteDeployment({ metadata: { deletionTimestamp: createdAt }, spec: { replicas: 9 } }),
      websiteService(),
    ],
    want: both(wait(name), none),
  },
  'C-5 NoLabels': {
    reason: 'a desired child without labels was read by name and is ours, so the labels come back',
    live: [
      websiteDeployment(),
      edited(websiteService(), { by: 'kubectl-label' }, ({ metadata }) => {
        delete metadata.labels['app.kubernetes.io/managed-by'];
      }),
    ],
    want: both(
      none,
      update(websiteService({ metadata: { resourceVersion: '252' } }), serviceFields, {
        differences: [
          {
            path: 'metadata.labels.app.kubernetes.io/managed-by',
            from: undefined,
            to: 'serverless-reconciler',
            writer: undefined,
          },
        ],
      }),
    ),
  },
  Legacy: {
    reason: 'no drift, but old entries own our fields',
    live: [
      websiteDeployment(),
      websiteService({
        metadata: {
          managedFields: [
            ...(websiteService().metadata.managedFields ?? []),
            {
              manager: 'before-first-apply',
              operation: 'Update',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:spec': { 'f:type': {}, 'f:sessionAffinity': {} } },
            },
          ],
        },
      }),
    ],
    want: both(none, {
      verb: 'consolidate',
      lock: versionOf(websiteService().metadata),
    }),
  },
};

describe('plan of a Website', () => {
  it.each(casesOf(websites))('%s', (_, { reason, want, ...given }) => {
    expect(planOf(websiteKind, website(), given), reason).toEqual(want);
  });

  it('C-2 sends exactly what drift was computed from', () => {
    const live = rescaled;
    const after = applied(live, { by: 'serverless-reconciler' }, applyBody(live, deploymentFields));
    expect(planOf(websiteKind, website(), { live: [after, websiteService()] })).toEqual(
      both(none, none),
    );
  });
});
