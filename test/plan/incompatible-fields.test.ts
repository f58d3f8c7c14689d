import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import {
  hasIncompatible,
  removeIncompatible,
} from '../../shared/plan/drift/incompatible-fields.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';
import { databaseStatefulSet } from '../support/children-of-database.ts';
import { type Draft, edited } from '../support/edits.ts';
import { observeChild } from '../support/observe.ts';
import { website } from '../support/resources.ts';
import { wantedFields } from '../support/worlds.ts';

/** A Deployment wanted with these fields in its container. */
const wantedContainer = (fields: JsonObject): JsonObject => ({
  spec: { template: { spec: { containers: [{ name: 'nginx', ...fields }] } } },
});
const deploymentWith = (change: (container: Draft, pod: Draft) => void): KubeObject =>
  edited(websiteDeployment(), { by: 'kubectl-edit' }, ({ spec }) => {
    change(spec.template.spec.containers[0], spec.template.spec);
  });
const at = '/spec/template/spec/containers/0';

const secretKeyRef = { name: 's', key: 'k' };
const fromSecret = wantedContainer({ env: [{ name: 'A', valueFrom: { secretKeyRef } }] });
const literal = wantedContainer({ env: [{ name: 'A', value: 'b' }] });
const probe = wantedContainer({ readinessProbe: { httpGet: { path: '/', port: 80 } } });

const withStrategy = (strategy: JsonObject): KubeObject =>
  edited(websiteDeployment(), { by: 'kubectl-edit' }, ({ spec }) => {
    spec.strategy = strategy;
  });

const serviceWants = wantedFields(website(), 'Service');
const serviceWith = (change: (ports: Draft[], spec: Draft) => void): KubeObject =>
  edited(websiteService(), { by: 'kubectl-patch' }, ({ spec }) => change(spec.ports, spec));
const ours = { port: 80, protocol: 'TCP', targetPort: 80, nodePort: 31000 };
const replaced = (...value: readonly JsonObject[]) => [
  { op: 'replace', path: '/spec/ports', value },
];

interface Case {
  readonly reason: string;
  readonly wanted: JsonObject;
  readonly live: KubeObject;
  readonly want: readonly JsonObject[];
}

const cases: Record<string, Case> = {
  'C-3 None': {
    reason: 'nothing of others conflicts',
    wanted: wantedFields(website(), 'Deployment'),
    live: deploymentWith((container) => {
      container.env = [{ name: 'B', value: 'c' }];
    }),
    want: [],
  },
  'C-3 ValueBesideValueFrom': {
    reason: 'a literal next to our reference',
    wanted: fromSecret,
    live: deploymentWith((container) => {
      container.env = [{ name: 'B' }, { name: 'A', value: 'theirs' }];
    }),
    want: [{ op: 'remove', path: `${at}/env/1/value` }],
  },
  'C-3 ValueFromBesideValue': {
    reason: 'a reference next to our literal',
    wanted: literal,
    live: deploymentWith((container) => {
      container.env = [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'x' } } }];
    }),
    want: [{ op: 'remove', path: `${at}/env/0/valueFrom` }],
  },
  'C-3 OtherReference': {
    reason: 'another reference next to ours',
    wanted: fromSecret,
    live: deploymentWith((container) => {
      container.env = [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'x' } } }];
    }),
    want: [
      { op: 'remove', path: `${at}/env/0/valueFrom/fieldRef` },
      { op: 'add', path: `${at}/env/0/valueFrom/secretKeyRef`, value: secretKeyRef },
    ],
  },
  'C-3 ProbeHandler': {
    reason: 'a second handler in our probe',
    wanted: probe,
    live: deploymentWith((container) => {
      container.readinessProbe = {
        exec: { command: ['x'] },
        tcpSocket: { port: 1 },
        periodSeconds: 5,
      };
    }),
    want: [
      { op: 'remove', path: `${at}/readinessProbe/exec` },
      { op: 'remove', path: `${at}/readinessProbe/tcpSocket` },
      { op: 'add', path: `${at}/readinessProbe/httpGet`, value: { path: '/', port: 80 } },
    ],
  },
  'F-7 TheirHandler': {
    reason: 'we set no handler, so theirs is the only one',
    wanted: wantedContainer({ readinessProbe: { periodSeconds: 5 } }),
    live: deploymentWith((container) => {
      container.readinessProbe = { exec: { command: ['x'] } };
    }),
    want: [],
  },
  OurHandlerAlone: {
    reason: 'the apply sets it',
    wanted: probe,
    live: deploymentWith((container) => {
      container.readinessProbe = { periodSeconds: 5 };
    }),
    want: [],
  },
  'C-3 HandlerBesideOurs': {
    reason: 'ours is there, so only theirs goes',
    wanted: probe,
    live: deploymentWith((container) => {
      container.readinessProbe = { exec: {}, httpGet: { path: '/', port: 80 } };
    }),
    want: [{ op: 'remove', path: `${at}/readinessProbe/exec` }],
  },
  Unnamed: {
    reason: 'items without names are not each other',
    wanted: wantedContainer({ list: [{ value: 'x' }] }),
    live: deploymentWith((container) => {
      container.list = [{ valueFrom: {} }];
    }),
    want: [],
  },
  'F-7 OtherContainer': {
    reason: 'a foreign container may have anything, and moves ours down',
    wanted: fromSecret,
    live: deploymentWith((_, pod) => {
      pod.containers.unshift({ name: 'side', image: 'x', env: [{ name: 'A', value: 'y' }] });
    }),
    want: [],
  },
  'C-3 Moved': {
    reason: 'the path is where ours is now',
    wanted: fromSecret,
    live: deploymentWith((container, pod) => {
      container.env = [{ name: 'A', value: 'y' }];
      pod.containers.unshift({ name: 'side', image: 'x' });
    }),
    want: [{ op: 'remove', path: '/spec/template/spec/containers/1/env/0/value' }],
  },
  'C-3 RollingUpdate': {
    reason: 'a user who removes our type gets a rolling update by default, with its parameters',
    wanted: { spec: { strategy: { type: 'Recreate' } } },
    live: withStrategy({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } }),
    want: [
      { op: 'remove', path: '/spec/strategy/rollingUpdate' },
      { op: 'add', path: '/spec/strategy/type', value: 'Recreate' },
    ],
  },
  NoRollingUpdate: {
    reason: 'there are no parameters',
    wanted: { spec: { strategy: { type: 'Recreate' } } },
    live: withStrategy({ type: 'RollingUpdate' }),
    want: [],
  },
  'C-3 OurRollingUpdate': {
    reason: 'parameters of others beside our type',
    wanted: { spec: { strategy: { type: 'RollingUpdate' } } },
    live: withStrategy({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } }),
    want: [],
  },
  'C-3 RollingUpdateOfStatefulSet': {
    reason: 'the field has another name',
    wanted: { spec: { updateStrategy: { type: 'OnDelete' } } },
    live: edited(databaseStatefulSet(), { by: 'kubectl-edit' }, ({ spec }) => {
      spec.updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } };
    }),
    want: [
      { op: 'remove', path: '/spec/updateStrategy/rollingUpdate' },
      { op: 'add', path: '/spec/updateStrategy/type', value: 'OnDelete' },
    ],
  },
  'C-3 RollingUpdateOfDaemonSet': {
    reason: 'the server accepts both',
    wanted: { spec: { updateStrategy: { type: 'OnDelete' } } },
    live: edited(
      { ...websiteDeployment(), kind: 'DaemonSet' },
      { by: 'kubectl-edit' },
      ({ spec }) => {
        spec.updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } };
      },
    ),
    want: [],
  },
  'C-3 PortBeside': {
    reason: 'our port is there, with the name they gave it, and so is theirs',
    wanted: serviceWants,
    live: serviceWith((ports) => {
      ports[0].name = 'http';
      ports.push({ name: 'x', port: 81, protocol: 'TCP', targetPort: 81 });
    }),
    want: [],
  },
  'C-3 PortRenumbered': {
    reason: 'our port moved to another number: it holds our node port',
    wanted: serviceWants,
    live: serviceWith((ports) => {
      ports[0].port = 8080;
    }),
    want: replaced(ours),
  },
  'C-3 PortsRenumbered': {
    reason: 'our port has no name, so no other may stand beside it once it is back',
    wanted: serviceWants,
    live: serviceWith((ports) => {
      Object.assign(ports[0], { name: 'http', port: 8080 });
      ports.push({ name: 'x', port: 81, protocol: 'TCP', targetPort: 81 });
    }),
    want: replaced(ours),
  },
  'C-3 ProtocolChanged': {
    reason: 'another protocol is another port',
    wanted: serviceWants,
    live: serviceWith((ports) => {
      ports[0].protocol = 'UDP';
    }),
    want: replaced(ours),
  },
  'C-3 NamedPort': {
    reason: 'our named port coexists with ports of other names',
    wanted: { spec: { ports: [{ ...ours, name: 'web' }] } },
    live: serviceWith((ports) => {
      Object.assign(ports[0], { name: 'other', port: 8080, nodePort: 32000 });
    }),
    want: [],
  },
  'C-3 SameName': {
    reason: 'but not with one of the same name, or without one',
    wanted: { spec: { ports: [{ ...ours, name: 'web' }] } },
    live: serviceWith((ports) => {
      Object.assign(ports[0], { name: 'other', port: 8080, nodePort: 32000 });
      ports.push({ name: 'web', port: 81, protocol: 'TCP', targetPort: 81 });
    }),
    want: replaced(
      { name: 'other', port: 8080, protocol: 'TCP', targetPort: 80, nodePort: 32000 },
      { ...ours, name: 'web' },
    ),
  },
};

const port = (name: string | undefined, number: number, nodePort?: number): JsonObject => ({
  ...(name === undefined ? {} : { name }),
  port: number,
  protocol: 'TCP',
  ...(nodePort === undefined ? {} : { nodePort }),
});

const ports: Record<
  string,
  { reason: string; own: readonly JsonObject[]; live: readonly JsonObject[]; want: JsonObject[] }
> = {
  Same: {
    reason: 'all of ours are there',
    own: [port('a', 80), port('b', 81)],
    live: [port('a', 80), port('b', 81), port('c', 82)],
    want: [],
  },
  DefaultProtocol: {
    reason: 'TCP is the default',
    own: [{ name: 'a', port: 80 }],
    live: [port('a', 80)],
    want: [],
  },
  NamesakeOfOne: {
    reason: 'what clashes with any of ours goes, and what is there stays as it is',
    own: [{ name: 'a', port: 80 }, port('b', 81)],
    live: [port('a', 80), port('b', 82), port('c', 83)],
    want: [port('a', 80), port('c', 83), port('b', 81)],
  },
  Unnamed: {
    reason: 'one of several ports without a name is refused',
    own: [port('a', 80)],
    live: [port(undefined, 90)],
    want: [port('a', 80)],
  },
  SameNodePort: {
    reason: 'node ports are distinct',
    own: [port('a', 80, 31_000)],
    live: [port('b', 90, 31_000)],
    want: [port('a', 80, 31_000)],
  },
  NoNodePorts: {
    reason: 'none is shared',
    own: [port('a', 80)],
    live: [port('b', 90)],
    want: [],
  },
  OfOthers: { reason: 'we want no ports', own: [], live: [port(undefined, 90)], want: [] },
};

describe('the ports of a Service', () => {
  it.each(Object.entries(ports))('C-3 %s', (_, { reason, own, live, want }) => {
    const service = { ...websiteService(), spec: { ports: live } } as unknown as KubeObject;
    const found = removeIncompatible({ spec: { ports: own } }, service);
    expect(found, reason).toEqual(want.length === 0 ? [] : replaced(...want));
  });
});

describe('removeIncompatible', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, wanted, live, want }) => {
    expect(removeIncompatible(wanted, live), reason).toEqual(want);
  });
});

describe('hasIncompatible', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, wanted, live, want }) => {
    expect(hasIncompatible(wanted, observeChild(live)), reason).toBe(want.length > 0);
  });

  it('C-3 escapes what a JSON pointer has to escape', () => {
    const wanted = { 'a/b~c': { value: 'x' } };
    const live = { ...websiteService(), 'a/b~c': { valueFrom: {} } };
    expect(removeIncompatible(wanted, live)).toEqual([
      { op: 'remove', path: '/a~1b~0c/valueFrom' },
    ]);
  });

  it('leaves custom resources alone, whatever their fields hold', () => {
    const custom = { apiVersion: 'example.com/v1', kind: 'Gateway', metadata: { name: 'x' } };
    const wanted = { spec: { mode: 'a', ports: { http: 80 }, value: 'x' } };
    const live = { ...custom, spec: { mode: 'b', ports: { http: 90 }, valueFrom: {} } };
    expect(removeIncompatible(wanted, live as unknown as KubeObject)).toEqual([]);
  });
});
