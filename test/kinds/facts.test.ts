import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { casesOf } from '../support/cases.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';
import {
  containerAppAutoscaler,
  containerAppIngress,
} from '../support/children-of-container-app.ts';
import { databaseSecret } from '../support/children-of-database.ts';
import { typeOf } from '../support/observe.ts';

const authUrl = 'nginx.ingress.kubernetes.io/auth-url';
const { spec } = containerAppIngress() as unknown as {
  readonly spec: { readonly rules: object[] };
};

const [monday, tuesday] = ['2026-11-23T03:00:00Z', '2026-11-24T03:00:00Z'];

const cronJobWith = (status: JsonObject): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: {
    name: 'nightly',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-11-22T10:00:00Z',
  },
  status,
});

const podOf = (...containers: readonly JsonObject[]): JsonObject => ({
  template: { spec: { containers } },
});
const jobWith = (status: JsonObject): KubeObject => ({ ...cronJobWith(status), kind: 'Job' });
const claimWith = (status: JsonObject): KubeObject => ({
  ...cronJobWith(status),
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
});

const images = { nginx: 'abangser/todo-local-storage:latest' };
const none = { images: {} };

const cases: Record<string, { reason: string; given: KubeObject; want: object }> = {
  'F-4 Available': {
    reason: 'the controller counts them',
    given: websiteDeployment(),
    want: { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2, images },
  },
  'F-4 None': {
    reason: 'the status omits a zero',
    given: websiteDeployment({ status: { availableReplicas: undefined } }),
    want: { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 0, images },
  },
  Images: {
    reason: 'of at most 16 containers, by name; an image of more than 253 characters is left out',
    given: websiteDeployment({
      spec: {
        template: {
          spec: {
            containers: [null, { name: 'a' }, { name: 'b', image: 'x'.repeat(254) }].concat(
              Array.from({ length: 20 }, (_, at) => ({ name: `c${at}`, image: `app:${at}` })),
            ),
          },
        },
      } as never,
    }),
    want: {
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      images: Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`c${at}`, `app:${at}`])),
    },
  },
  CronJobImages: {
    reason: 'those of its Jobs',
    given: {
      ...cronJobWith({}),
      spec: { jobTemplate: { spec: podOf({ name: 'dump', image: 'dump:1' }) } },
    },
    want: { active: 0, images: { dump: 'dump:1' } },
  },
  JobImages: {
    reason: 'its fields may have any shape',
    given: { ...jobWith({}), spec: podOf({ name: 'a', image: 7 }, { name: {}, image: 'b' }) },
    want: { active: 0, succeeded: 0, failed: 0, images: {} },
  },
  'D-3 Secret': {
    reason: 'the keys are kept, the values are not',
    given: databaseSecret(),
    want: { keys: ['database', 'password', 'username'], publicKeys: {} },
  },
  'D-4 EmptyPassword': {
    reason: 'a key without a value counts as lost',
    given: databaseSecret({ data: { password: '' } }),
    want: { keys: ['database', 'username'], publicKeys: {} },
  },
  'D-4 NoData': {
    reason: 'a Secret may be empty',
    given: databaseSecret({ data: undefined }),
    want: { keys: [], publicKeys: {} },
  },
  'G-3 Protected': {
    reason: 'the rules and the address of authorization are kept',
    given: containerAppIngress(),
    want: {
      rules: spec.rules,
      addresses: [],
      authUrl: 'https://auth.example.com/check?scopes=a%20b',
    },
  },
  'G-3 Public': {
    reason: 'no path requires authorization',
    given: containerAppIngress({ metadata: { annotations: { [authUrl]: undefined } as never } }),
    want: { rules: spec.rules, addresses: [] },
  },
  'G-3 NoRules': {
    reason: 'the rules were removed',
    given: containerAppIngress({ spec: undefined, metadata: { annotations: undefined } }),
    want: { rules: [], addresses: [] },
  },
  CronJobAtWork: {
    reason: 'the number of active Jobs is kept, not their names',
    given: cronJobWith({ active: [{ kind: 'Job', name: 'nightly-1' }], lastScheduleTime: monday }),
    want: { active: 1, lastScheduleTime: monday, ...none },
  },
  CronJobAtRest: {
    reason: 'the time of the last success is kept',
    given: cronJobWith({ lastScheduleTime: monday, lastSuccessfulTime: tuesday }),
    want: { active: 0, lastScheduleTime: monday, lastSuccessfulTime: tuesday, ...none },
  },
  CronJobNew: {
    reason: 'it has not run yet',
    given: cronJobWith({}),
    want: { active: 0, ...none },
  },
  Service: {
    reason: 'the first 16 addresses are kept, of any host name that can exist',
    given: websiteService({
      spec: { clusterIP: '10.0.0.7' },
      status: {
        loadBalancer: {
          ingress: [null, 7, { hostname: 'a.example.org' }, { hostname: 'x'.repeat(254) }].concat(
            Array.from({ length: 20 }, (_, at) => ({ ip: `192.0.2.${at}`, hostname: 'b' })),
          ),
        },
      } as never,
    }),
    want: {
      clusterIP: '10.0.0.7',
      addresses: ['a.example.org', ...Array.from({ length: 12 }, (_, at) => `192.0.2.${at}`)],
    },
  },
  Autoscaler: {
    reason: 'a status of another shape counts as none',
    given: containerAppAutoscaler({
      status: { currentReplicas: '3', desiredReplicas: 4 } as never,
    }),
    want: { currentReplicas: 0, desiredReplicas: 4 },
  },
  JobAtWork: {
    reason: 'it has no outcome yet',
    given: jobWith({ active: 1, failed: 2, startTime: monday }),
    want: { active: 1, succeeded: 0, failed: 2, startTime: monday, ...none },
  },
  JobComplete: {
    reason: 'its conditions say so',
    given: jobWith({
      succeeded: 1,
      completionTime: tuesday,
      conditions: [{ type: 'Complete', status: 'True' }],
    }),
    want: {
      active: 0,
      succeeded: 1,
      failed: 0,
      completionTime: tuesday,
      outcome: 'Complete',
      ...none,
    },
  },
  JobHostile: {
    reason: 'a status may have any shape',
    given: jobWith({ active: 'x', startTime: 'x'.repeat(1000), conditions: { type: 'Failed' } }),
    want: { active: 0, succeeded: 0, failed: 0, ...none },
  },
  Claim: {
    reason: 'the phase and the provided size are kept',
    given: claimWith({ phase: 'Bound', capacity: { storage: '2Gi' } }),
    want: { phase: 'Bound', capacity: '2Gi' },
  },
  ClaimNew: { reason: 'it has no status yet', given: claimWith({}), want: { phase: 'Pending' } },
};

describe('facts of a child type', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(typeOf(given)?.facts?.(given) ?? {}).toEqual(want);
  });
});
