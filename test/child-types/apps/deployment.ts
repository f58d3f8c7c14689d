import { deployment, secretDigestAnnotation } from '../../../index.ts';
import { websiteDeployment } from '../../support/children.ts';
import { casesOf, current, inProgress } from '../cases.ts';
import { imagePath, podTemplate, selector } from '../samples.ts';

const unseen = inProgress('the Deployment controller has not observed the latest change yet');

const refused = {
  type: 'ReplicaFailure',
  status: 'True',
  reason: 'FailedCreate',
  message: 'pods "a" is forbidden: exceeded quota',
};

export const cases = casesOf(deployment, {
  body: { spec: { replicas: 1, selector, template: podTemplate } },
  edit: { patch: { spec: { replicas: 3 } }, path: 'spec.replicas' },
  readiness: {
    Current: {
      reason: 'all pods are there, new and available',
      live: websiteDeployment(),
      want: current,
    },
    New: {
      reason: 'the controller has not written a status yet',
      live: websiteDeployment({ status: undefined }),
      want: unseen,
    },
    OldGeneration: {
      reason: 'its status is of an older generation',
      live: websiteDeployment({ metadata: { generation: 2 } }),
      want: unseen,
    },
    NotUpdated: {
      reason: 'the first step: new pods',
      live: websiteDeployment({ status: { updatedReplicas: 1 } }),
      want: inProgress('1 of 2 replicas updated'),
    },
    PodsRefused: {
      reason: 'a quota or a policy refuses the pods: only its message tells what to do',
      live: websiteDeployment({
        status: { updatedReplicas: 1, conditions: [refused] },
      }),
      want: inProgress('1 of 2 replicas updated (pods "a" is forbidden: exceeded quota)'),
    },
    PodsRefusedEarlier: {
      reason: 'the pods were created since',
      live: websiteDeployment({
        status: { updatedReplicas: 1, conditions: [{ ...refused, status: 'False' }] },
      }),
      want: inProgress('1 of 2 replicas updated'),
    },
    Paused: {
      reason: 'the first step does not begin while the rollout is paused',
      live: websiteDeployment({ spec: { paused: true }, status: { updatedReplicas: 1 } }),
      want: inProgress('1 of 2 replicas updated while spec.paused is true'),
    },
    PausedOldPods: {
      reason: 'the second step does not begin while the rollout is paused',
      live: websiteDeployment({ spec: { paused: true }, status: { replicas: 3 } }),
      want: inProgress('1 old replicas still running while spec.paused is true'),
    },
    PausedReady: {
      reason: 'a paused rollout has nothing left to do',
      live: websiteDeployment({ spec: { paused: true } }),
      want: current,
    },
    OldPods: {
      reason: 'the second step: no old pods',
      live: websiteDeployment({ status: { replicas: 3 } }),
      want: inProgress('1 old replicas still running'),
    },
    NotAvailable: {
      reason: 'the third step: pods that respond',
      live: websiteDeployment({ status: { availableReplicas: undefined } }),
      want: inProgress('0 of 2 replicas available'),
    },
    DeadlineExceeded: {
      reason: 'the controller gave up: waiting does not help',
      live: websiteDeployment({
        status: {
          availableReplicas: 0,
          conditions: [
            {
              type: 'Progressing',
              status: 'False',
              reason: 'ProgressDeadlineExceeded',
              message: 'ReplicaSet "x" has timed out progressing.',
            },
            refused,
          ],
        },
      }),
      want: {
        state: 'Failed',
        reason: 'ProgressDeadlineExceeded',
        message:
          'ReplicaSet "x" has timed out progressing. (pods "a" is forbidden: exceeded quota)',
      },
    },
    DeadlineOfOldGeneration: {
      reason: 'a failure of an older generation does not concern the new one',
      live: websiteDeployment({
        metadata: { generation: 2 },
        status: { conditions: [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }] },
      }),
      want: unseen,
    },
    ScaledToNone: {
      reason: 'no pod is desired, so none is missing',
      live: websiteDeployment({
        spec: { replicas: 0 },
        status: { replicas: 0, updatedReplicas: 0, availableReplicas: 0 },
      }),
      want: current,
    },
    ReplicasAbsent: {
      reason: 'replicas default to 1',
      live: websiteDeployment({
        spec: { replicas: undefined },
        status: { replicas: 1, updatedReplicas: 1, availableReplicas: 0 },
      }),
      want: inProgress('0 of 1 replicas available'),
    },
  },
  fixed: { 'spec.selector': { matchLabels: { app: 'other' } } },
  impact: {
    created: [],
    deleted: ['interrupt'],
    changes: {
      'a new image': {
        reason: 'the template changes',
        fields: { [imagePath]: ['a', 'b'] },
        want: ['restart'],
      },
      'a digest of a Secret': {
        reason: 'rollOnChange puts the digest, masked or not, into the template',
        fields: {
          [`spec.template.metadata.annotations.${secretDigestAnnotation}`]: [
            '(secret)',
            '(secret changed)',
          ],
        },
        want: ['restart'],
      },
      'a whole template': {
        reason: 'the path is that of the template itself',
        fields: { 'spec.template': [undefined, {}] },
        want: ['restart'],
      },
      'the strategy Recreate': {
        reason: 'no pod runs between the old and the new ones',
        fields: { [imagePath]: ['a', 'b'] },
        desired: { spec: { strategy: { type: 'Recreate' } } },
        want: ['recreate'],
      },
      'a paused Deployment': {
        reason: 'it does not roll',
        fields: { [imagePath]: ['a', 'b'] },
        desired: { spec: { paused: true } },
        want: [],
      },
      'more replicas': {
        reason: 'running pods stay',
        fields: { 'spec.replicas': [2, 5] },
        want: [],
      },
      'fewer replicas': {
        reason: 'some pods end, and none is replaced',
        fields: { 'spec.replicas': [5, 2] },
        want: ['reduce'],
      },
      'the number of replicas left to the server': {
        reason: 'it sets 1',
        fields: { 'spec.replicas': [3, undefined] },
        want: ['reduce'],
      },
      'a new image and fewer replicas': {
        reason: 'some pods are replaced, others are not',
        fields: { 'spec.replicas': [5, 2], [imagePath]: ['a', 'b'] },
        want: ['restart', 'reduce'],
      },
      'no replicas': {
        reason: 'nothing is left to restart',
        fields: { 'spec.replicas': [2, 0], [imagePath]: ['a', 'b'] },
        want: ['interrupt'],
      },
      'a label': {
        reason: 'its pods do not get the label',
        fields: { 'metadata.labels.a': ['x', 'y'] },
        want: [],
      },
      'a field that looks like the template': {
        reason: 'the whole name of a field counts',
        fields: { 'spec.templateX': [1, 2] },
        want: [],
      },
    },
  },
});
