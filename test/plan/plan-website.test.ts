import { describe, expect, it } from 'vitest';
import { type DecisionBody, versionOf } from '../../shared/plan/decision/decision.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { casesOf } from '../support/cases.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';
import {
  adoptable,
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
    reason: 'creates both children',
    resource: fresh,
    want: both(create(deploymentFields, false), create(serviceFields, false)),
  },
  'C-2 InPlace': {
    reason: 'writes nothing without a change',
    live: [websiteDeployment(), websiteService()],
    want: both(none, none),
  },
  'W-2 Label': {
    reason: 'writes nothing if only metadata of the Website changed',
    resource: website({ metadata: { labels: { team: 'a' }, resourceVersion: '999' } }),
    live: [websiteDeployment(), websiteService()],
    want: both(none, none),
  },
  'C-3 Scaled': {
    reason: 'locks an update to the version that was read, and lists the differences',
    live: [rescaled, websiteService()],
    want: both(update(rescaled, deploymentFields, { differences: [replicasBack] }), none),
  },
  'W-1 ImageTag': {
    reason: 'writes only the Deployment: its image, and the pull policy that follows from the tag',
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
    reason: 'removes a conflicting port after the server has refused the apply',
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
    reason: 'recreates a child that the status lists as lost',
    live: [websiteDeployment()],
    want: both(none, create(serviceFields, true)),
  },
  'W-6 BothDeleted': {
    reason: 'recreates each child independently',
    want: both(create(deploymentFields, true), create(serviceFields, true)),
  },
  'C-6 NoController': {
    reason: 'does not change an object without a controller, and writes the other child',
    resource: fresh,
    live: [websiteService({ metadata: { ownerReferences: undefined } })],
    want: both(
      create(deploymentFields, false),
      exists(name, 'Website', 'Service', adoptable('Website', name)),
    ),
  },
  'C-6 OtherUid': {
    reason: 'does not change an object of a former Website of the same name',
    live: [
      websiteDeployment(),
      websiteService({ metadata: { ownerReferences: [{ ...owner(website()), uid: 'old' }] } }),
    ],
    want: both(none, exists(name, 'Website', 'Service')),
  },
  'C-6 OwnerNotController': {
    reason: 'does not change an object whose owner is not its controller',
    live: [
      websiteDeployment(),
      websiteService({
        metadata: { ownerReferences: [{ ...owner(website()), controller: false }] },
      }),
    ],
    want: both(none, exists(name, 'Website', 'Service', adoptable('Website', name))),
  },
  'C-6 ForeignAndDeleting': {
    reason:
      'waits for a foreign object that is being deleted, such as a child of a former resource',
    live: [
      websiteDeployment({ metadata: { ownerReferences: undefined, deletionTimestamp: createdAt } }),
      websiteService(),
    ],
    want: both(wait(name), none),
  },
  'C-7 Deleting': {
    reason: 'writes nothing for a resource that is being deleted',
    resource: website({ metadata: { deletionTimestamp: createdAt } }),
    want: { state: 'deleting' },
  },
  'C-7 DeletingAndSuspended': {
    reason: 'does not report a resource that is being deleted as suspended',
    resource: website({
      metadata: {
        deletionTimestamp: createdAt,
        annotations: { 'serverless-reconciler/suspend': 'true' },
      },
    }),
    want: { state: 'deleting' },
  },
  'C-14 Suspended': {
    reason: 'is suspended by the annotation, whatever the spec',
    resource: website({
      metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } },
      spec: { imageTag: '' },
    }),
    want: { state: 'suspended' },
  },
  'C-9 Invalid': {
    reason: 'neither writes nor deletes a child for an invalid spec',
    resource: website({ spec: { imageTag: '' } }),
    live: [websiteDeployment(), websiteService()],
    want: { state: 'invalid', message: expect.stringMatching(/^spec\.imageTag /) },
  },
  'C-13 ChildDeleting': {
    reason: 'waits for a child that is being deleted',
    live: [
      websiteDeployment({ metadata: { deletionTimestamp: createdAt }, spec: { replicas: 9 } }),
      websiteService(),
    ],
    want: both(wait(name), none),
  },
  'C-5 NoLabels': {
    reason: 'restores the labels of a child of ours that was read by name',
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
    reason: 'consolidates managedFields if old entries own our fields',
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

describe('the plan of a Website', () => {
  it.each(casesOf(websites))('%s', (_, { reason, want, ...given }) => {
    expect(planOf(websiteKind, website(), given), reason).toEqual(want);
  });

  it('C-2 sends exactly the fields with which drift was computed', () => {
    const live = rescaled;
    const after = applied(live, { by: 'serverless-reconciler' }, applyBody(live, deploymentFields));
    expect(planOf(websiteKind, website(), { live: [after, websiteService()] })).toEqual(
      both(none, none),
    );
  });
});
