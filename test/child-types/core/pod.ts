import { pod } from '../../../index.ts';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { casesOf, current, inProgress, relabelled } from '../cases.ts';
import { containers } from '../samples.ts';

const having = (status: JsonObject): JsonObject => ({ spec: {}, status });

export const cases = casesOf(pod, {
  body: { spec: { containers } },
  edit: relabelled,
  readiness: {
    Ready: {
      reason: 'it runs and is ready',
      live: having({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }),
      want: current,
    },
    NotReady: {
      reason: 'it runs, but is not ready',
      live: having({ phase: 'Running' }),
      want: inProgress('running, but not ready yet'),
    },
    Crashing: {
      reason: 'its container is restarted again and again',
      live: having({
        phase: 'Running',
        containerStatuses: [
          { name: 'a', state: {} },
          { name: 'b', state: { waiting: { reason: 'CrashLoopBackOff' } } },
        ],
      }),
      want: { state: 'Failed', reason: 'CrashLoopBackOff', message: 'container b keeps crashing' },
    },
    Unschedulable: {
      reason: 'a node may still join',
      live: having({
        phase: 'Pending',
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' },
        ],
      }),
      want: inProgress('not scheduled yet: 0/3 nodes'),
    },
    Pending: {
      reason: 'images are being pulled',
      live: having({ phase: 'Pending' }),
      want: inProgress('not running yet, its phase is Pending'),
    },
    Succeeded: {
      reason: 'all containers ended well',
      live: having({ phase: 'Succeeded' }),
      want: current,
    },
    Failed: {
      reason: 'it is not started again',
      live: having({ phase: 'Failed', reason: 'Evicted', message: 'the node was low on memory' }),
      want: { state: 'Failed', reason: 'Evicted', message: 'the node was low on memory' },
    },
  },
  fixed: {
    'spec.hostNetwork': true,
    'spec.hostname': 'other',
    'spec.nodeName': 'other',
    'spec.priorityClassName': 'other',
    'spec.restartPolicy': 'Never',
    'spec.runtimeClassName': 'other',
    'spec.schedulerName': 'other',
    'spec.serviceAccountName': 'other',
    'spec.subdomain': 'other',
  },
  isRefusedHere: false,
  impact: {
    created: [],
    deleted: ['interrupt'],
    changes: {
      'another image': {
        reason: 'its container starts again',
        fields: { 'spec.containers[name="web"].image': ['a', 'b'] },
        want: ['restart'],
      },
    },
  },
});
