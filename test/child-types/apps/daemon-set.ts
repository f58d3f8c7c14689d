import { daemonSet } from '../../../index.ts';
import { casesOf, current, inProgress, seen } from '../cases.ts';
import { imagePath, podTemplate, selector } from '../samples.ts';

const nodes = { desiredNumberScheduled: 3, currentNumberScheduled: 3, updatedNumberScheduled: 3 };
const status = { ...seen, ...nodes, numberAvailable: 3, numberReady: 3 };

export const cases = casesOf(daemonSet, {
  body: { spec: { selector, template: podTemplate, minReadySeconds: 5 } },
  edit: { patch: { spec: { minReadySeconds: 9 } }, path: 'spec.minReadySeconds' },
  readiness: {
    Current: {
      reason: 'each node that should run a pod has one',
      live: { spec: {}, status },
      want: current,
    },
    New: {
      reason: 'the controller has not written a status yet',
      live: { spec: {} },
      want: inProgress('the DaemonSet controller has not observed the latest change yet'),
    },
    Nodes: {
      reason: 'the first step: a pod on each node',
      live: { spec: {}, status: { ...status, currentNumberScheduled: 1 } },
      want: inProgress('1 of 3 pods created'),
    },
    Old: {
      reason: 'the second step: pods of the new template',
      live: { spec: {}, status: { ...status, updatedNumberScheduled: 2 } },
      want: inProgress('2 of 3 pods updated'),
    },
    ByHand: {
      reason: 'a person updates the pods with OnDelete',
      live: {
        spec: { updateStrategy: { type: 'OnDelete' } },
        status: { ...status, updatedNumberScheduled: 0 },
      },
      want: current,
    },
    NotAvailable: {
      reason: 'the third step: pods that have been ready for long enough',
      live: { spec: {}, status: { ...status, numberAvailable: 2 } },
      want: inProgress('2 of 3 pods available'),
    },
    NoNode: {
      reason: 'no node matches, so no pod is missing',
      live: { spec: {}, status: seen },
      want: current,
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
    },
  },
});
