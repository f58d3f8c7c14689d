import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { incompatibleContainers } from '../../shared/plan/drift/incompatible-containers.ts';

interface Case {
  readonly reason: string;
  /** The wanted and the live pod. */
  readonly own: JsonObject;
  readonly live: JsonObject;
  readonly want: readonly string[];
}

const pod = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });
const container = (...of: readonly JsonObject[]): JsonObject => ({
  containers: of.map((one) => ({ name: 'app', ...one })),
});
const ports = (...of: readonly JsonObject[]): JsonObject => container({ ports: of });
const requests = (of: JsonObject): JsonObject => container({ resources: { requests: of } });
const limits = (of: JsonObject): JsonObject => container({ resources: { limits: of } });
const sleep = (seconds: number): JsonObject =>
  container({ lifecycle: { preStop: { sleep: { seconds } } } });

const cases: Record<string, Case> = {
  Same: {
    reason: 'nothing was added',
    own: ports({ name: 'http', containerPort: 80 }),
    live: ports({ name: 'http', containerPort: 80, protocol: 'TCP' }),
    want: [],
  },
  'C-3 Namesake': {
    reason: 'two ports of a container cannot have one name',
    own: ports({ name: 'http', containerPort: 80 }),
    live: ports({ name: 'http', containerPort: 8080 }, { name: 'http', containerPort: 80 }),
    want: ['containers/0/ports/0'],
  },
  'C-3 Namesakes': {
    reason: 'from the last to the first, as a removal shifts the indexes after it',
    own: ports({ name: 'http', containerPort: 80 }, { name: 'admin', containerPort: 81 }),
    live: ports({ name: 'admin', containerPort: 9 }, { name: 'http', containerPort: 8 }),
    want: ['containers/0/ports/1', 'containers/0/ports/0'],
  },
  OtherProtocol: {
    reason: 'a port is identified by number and protocol',
    own: ports({ name: 'dns', containerPort: 53 }),
    live: ports({ name: 'dns', containerPort: 53, protocol: 'UDP' }),
    want: ['containers/0/ports/0'],
  },
  'F-7 PortBeside': {
    reason: 'ports under other names, or without one, stay',
    own: ports({ containerPort: 80 }),
    live: ports({ containerPort: 81 }, { name: 'other', containerPort: 82 }),
    want: [],
  },
  'F-7 SeveralPorts': {
    reason: 'each of ours is there under its own number',
    own: ports({ name: 'http', containerPort: 80 }, { name: 'admin', containerPort: 81 }),
    live: ports(
      { name: 'http', containerPort: 80 },
      { name: 'admin', containerPort: 81 },
      { name: 'theirs', containerPort: 82 },
    ),
    want: [],
  },
  'F-7 NoLimit': {
    reason: 'nothing is limited, or something else is',
    own: requests({ cpu: '1' }),
    live: container({ resources: {} }),
    want: [],
  },
  'F-7 NoResources': {
    reason: 'nothing is limited',
    own: requests({ cpu: '1' }),
    live: container({}),
    want: [],
  },
  'F-7 OtherHook': {
    reason: 'nothing sleeps before it stops',
    own: container({ lifecycle: { preStop: { exec: {} } } }),
    live: { ...container({}), terminationGracePeriodSeconds: 30 },
    want: [],
  },
  'F-7 OtherEvent': {
    reason: 'what runs at the start takes none of the time',
    own: container({ lifecycle: { postStart: { exec: {} } } }),
    live: { ...container({}), terminationGracePeriodSeconds: 30 },
    want: [],
  },
  'C-3 LowLimit': {
    reason: 'a limit below our request is refused',
    own: requests({ cpu: '1', memory: '64Mi' }),
    live: limits({ cpu: '500m', memory: '64Mi' }),
    want: ['containers/0/resources/limits/cpu'],
  },
  LimitOfOurs: {
    reason: 'a limit that we set is overwritten by the apply',
    own: container({ resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } }),
    live: limits({ cpu: '500m' }),
    want: [],
  },
  LimitOfExtendedResource: {
    reason: 'its name is escaped as a JSON pointer requires',
    own: requests({ 'example.com/a~b': 2 }),
    live: limits({ 'example.com/a~b': 1 }),
    want: ['containers/0/resources/limits/example.com~1a~0b'],
  },
  'C-3 ShortGrace': {
    reason: 'the preStop sleep has to fit into the grace period',
    own: sleep(40),
    live: { ...sleep(40), terminationGracePeriodSeconds: 30 },
    want: ['terminationGracePeriodSeconds'],
  },
  LongGrace: {
    reason: 'it fits exactly',
    own: sleep(30),
    live: { ...sleep(30), terminationGracePeriodSeconds: 30 },
    want: [],
  },
  'F-7 OtherContainers': {
    reason: 'containers of others stay, and shift the indexes of ours',
    own: requests({ cpu: '1' }),
    live: {
      containers: [
        { name: 'sidecar', resources: { limits: { cpu: '1m' } } },
        { name: 'app', resources: { limits: { cpu: '1m' } } },
      ],
    },
    want: ['containers/1/resources/limits/cpu'],
  },
  'C-3 HostPort': {
    reason: 'a renamed container holds the host ports of ours, each of which a pod has once',
    own: ports({ containerPort: 80, hostPort: 80 }, { containerPort: 81, hostPort: 81 }),
    live: {
      containers: [
        {
          name: 'renamed',
          ports: [
            { containerPort: 80, hostPort: 80, protocol: 'TCP' },
            { containerPort: 80, hostPort: 80, protocol: 'UDP' },
            { containerPort: 9, hostPort: 81, protocol: 'TCP' },
          ],
        },
      ],
    },
    want: ['containers/0/ports/2', 'containers/0/ports/0'],
  },
  'C-3 HostPortMoved': {
    reason: 'the same within our container',
    own: ports({ containerPort: 80, hostPort: 80 }),
    live: ports({ containerPort: 8080, hostPort: 80, protocol: 'TCP' }),
    want: ['containers/0/ports/0'],
  },
  HostPortOfAnotherAddress: {
    reason: 'an address has ports of its own',
    own: ports({ containerPort: 80, hostPort: 80, hostIP: '10.0.0.1' }),
    live: ports({ containerPort: 81, hostPort: 80, hostIP: '10.0.0.2' }),
    want: [],
  },
  HostPortOfOurs: {
    reason: 'another container of ours is corrected by the apply',
    own: {
      containers: [
        { name: 'app', ports: [{ containerPort: 80, hostPort: 80 }] },
        { name: 'admin', ports: [{ containerPort: 81, hostPort: 81 }] },
      ],
    },
    live: { containers: [{ name: 'admin', ports: [{ containerPort: 81, hostPort: 80 }] }] },
    want: [],
  },
  'C-3 HostNetwork': {
    reason: 'in the network of the node each port is a host port',
    own: { hostNetwork: true, ...ports({ containerPort: 80 }) },
    live: {
      hostNetwork: true,
      containers: [{ name: 'renamed', ports: [{ containerPort: 80, hostPort: 80 }] }],
    },
    want: ['containers/0/ports/0'],
  },
  Gone: {
    reason: 'our container is not there',
    own: requests({ cpu: '1' }),
    live: { containers: [{ name: 'sidecar', resources: { limits: { cpu: '1m' } } }] },
    want: [],
  },
};

describe('incompatibleContainers', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, own, live, want }) => {
    expect(incompatibleContainers(pod(own), pod(live)), reason).toEqual(
      want.map((path) => ({ op: 'remove', path: `/spec/template/spec/${path}` })),
    );
  });

  it('finds nothing in an object without a pod template', () => {
    expect(incompatibleContainers({ spec: {} }, { spec: { ports: [] } })).toEqual([]);
    expect(incompatibleContainers(pod(sleep(40)), undefined)).toEqual([]);
  });
});
