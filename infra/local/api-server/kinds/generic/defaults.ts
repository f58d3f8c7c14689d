import { isObject, type JsonObject, objectAt, objectsAt, setDefault } from '../../json/value.ts';
import type { KubeObject } from '../../objects/object.ts';
import { defaultPodTemplate } from '../pod/template-defaults.ts';

type Defaults = (object: KubeObject) => void;

/** Defaults added by decoding, by path: `a.b[].c` is the field c of each item of b, if a has a b. */
type Values = Readonly<Record<string, unknown>>;

function filling(values: Values): Defaults {
  const paths = Object.entries(values).map(([path, value]) => ({ steps: path.split('.'), value }));
  return (object) => {
    for (const { steps, value } of paths) fill(object, steps, value);
  };
}

function fill(object: JsonObject, [step = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) setDefault(object, step, structuredClone(value));
  else if (step.endsWith('[]')) {
    for (const item of objectsAt(object, step.slice(0, -2))) fill(item, rest, value);
  } else fill(objectAt(object, step), rest, value);
}

/** Returns the existing values at a path. */
function below(path: string, values: Values): Values {
  const entries = Object.entries(values).map(([name, value]) => [`${path}.${name}`, value]);
  return Object.fromEntries(entries);
}

const matching: Values = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };

const webhook: Values = {
  ...below('webhooks[]', { ...matching, failurePolicy: 'Fail', timeoutSeconds: 10 }),
  'webhooks[].clientConfig.service.port': 443,
  'webhooks[].rules[].scope': '*',
};

function matchedBy(field: string): Values {
  return {
    ...below(field, matching),
    [`${field}.resourceRules[].scope`]: '*',
    [`${field}.excludeResourceRules[].scope`]: '*',
  };
}

const policy: Values = { ...matchedBy('spec.matchConstraints'), 'spec.failurePolicy': 'Fail' };
const binding = matchedBy('spec.matchResources');

/** The default limits and requests of a container follow from each other. */
function defaultLimits(limits: JsonObject): void {
  if (limits.type !== 'Container') return;
  const defaults = { ...objectAt(limits, 'max'), ...objectAt(limits, 'default') };
  const requests = {
    ...objectAt(limits, 'min'),
    ...defaults,
    ...objectAt(limits, 'defaultRequest'),
  };
  if (Object.keys(defaults).length > 0) limits.default = defaults;
  if (Object.keys(requests).length > 0) limits.defaultRequest = requests;
}

function defaultController(object: KubeObject): void {
  const { spec } = object;
  if (!isObject(spec)) return;
  setDefault(spec, 'replicas', 1);
  if (!isObject(spec.template)) return;
  defaultPodTemplate(spec.template);
  const { labels } = objectAt(spec.template, 'metadata');
  if (!isObject(labels)) return;
  setDefault(spec, 'selector', labels);
  object.metadata.labels ??= labels as Record<string, string>;
}

function defaultDevices(claim: JsonObject): void {
  for (const request of objectsAt(objectAt(claim, 'devices'), 'requests')) {
    const exactly = request.exactly;
    for (const one of [
      ...(isObject(exactly) ? [exactly] : []),
      ...objectsAt(request, 'firstAvailable'),
    ]) {
      setDefault(one, 'allocationMode', 'ExactCount');
      if (one.allocationMode === 'ExactCount') setDefault(one, 'count', 1);
    }
  }
}

const fillLevel = filling({
  ...below('spec.limited', { nominalConcurrencyShares: 30, lendablePercent: 0 }),
  ...below('spec.exempt', { nominalConcurrencyShares: 0, lendablePercent: 0 }),
});

function defaultPriorityLevel(object: KubeObject): void {
  fillLevel(object);
  const limited = objectAt(objectAt(object, 'spec'), 'limited');
  const { queuing } = objectAt(limited, 'limitResponse');
  if (!isObject(queuing)) return;
  queuing.queues ||= 64;
  queuing.handSize ||= 8;
  queuing.queueLengthLimit ||= 50;
}

export const genericDefaults: Readonly<Record<string, Defaults>> = {
  APIService: filling({ 'spec.service.port': 443 }),
  CSIDriver: filling(
    below('spec', {
      attachRequired: true,
      podInfoOnMount: false,
      volumeLifecycleModes: ['Persistent'],
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
      seLinuxMount: false,
    }),
  ),
  Endpoints: filling({ 'subsets[].ports[].protocol': 'TCP' }),
  EndpointSlice: filling({ 'ports[].name': '', 'ports[].protocol': 'TCP' }),
  FlowSchema: ({ spec }) => {
    // Zero is none here.
    if (isObject(spec)) spec.matchingPrecedence ||= 1000;
  },
  IngressClass: filling({ 'spec.parameters.scope': 'Cluster' }),
  LimitRange: ({ spec }) => {
    for (const limits of objectsAt(objectAt({ spec }, 'spec'), 'limits')) defaultLimits(limits);
  },
  MutatingAdmissionPolicy: filling(policy),
  MutatingAdmissionPolicyBinding: filling(binding),
  MutatingWebhookConfiguration: filling({ ...webhook, 'webhooks[].reinvocationPolicy': 'Never' }),
  PersistentVolume: filling({
    'spec.persistentVolumeReclaimPolicy': 'Retain',
    'spec.volumeMode': 'Filesystem',
    'spec.hostPath.type': '',
    'status.phase': 'Pending',
  }),
  PodTemplate: ({ template }) => {
    if (isObject(template)) defaultPodTemplate(template);
  },
  PriorityClass: filling({ preemptionPolicy: 'PreemptLowerPriority' }),
  PriorityLevelConfiguration: defaultPriorityLevel,
  ReplicationController: defaultController,
  ResourceClaim: (object) => defaultDevices(objectAt(object, 'spec')),
  ResourceClaimTemplate: (object) => defaultDevices(objectAt(objectAt(object, 'spec'), 'spec')),
  StorageClass: filling({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  ValidatingAdmissionPolicy: filling(policy),
  ValidatingAdmissionPolicyBinding: filling(binding),
  ValidatingWebhookConfiguration: filling(webhook),
};
